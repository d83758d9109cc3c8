const WAYS =
	'Ask for one in your own words, for example: "Have the explorer find the tests." Or type /subagents run explorer <task>. /subagents agents lists all agents.';

/** Where there are no runs to show. */
export const howToBegin = (where: "session" | "folder"): string => `No runs in this ${where} yet. ${WAYS}`;

export const HOW_TO_BEGIN = howToBegin("session");
