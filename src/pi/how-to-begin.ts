/** Where there are no runs to show. */
export const HOW_TO_BEGIN =
	'No runs in this session yet. Ask for one in your own words, for example: "Have the explorer find the tests." Or type /subagents run explorer <task>. /subagents agents lists all agents.';
