import { type KeyId, matchesKey } from "@earendil-works/pi-tui";

/** What a user can do with the inspector. */
export type Action =
	| "up"
	| "down"
	| "pageUp"
	| "pageDown"
	| "first"
	| "last"
	| "enter"
	| "otherPane"
	| "back"
	| "close"
	| "follow"
	| "fold"
	| "facts"
	| "message"
	| "stop"
	| "open"
	| "copy"
	| "diff"
	| "apply"
	| "scope"
	| "pools"
	| "help";

interface Binding {
	action: Action;
	keys: readonly KeyId[];
	/** For the help. */
	about: string;
}

export const BINDINGS: readonly Binding[] = [
	{ action: "up", keys: ["up", "k"], about: "the run above, or scroll up" },
	{ action: "down", keys: ["down", "j"], about: "the run below, or scroll down" },
	{ action: "pageUp", keys: ["pageUp"], about: "a page up" },
	{ action: "pageDown", keys: ["pageDown", "space"], about: "a page down" },
	{ action: "first", keys: ["home", "g"], about: "the first run, or the beginning" },
	{ action: "last", keys: ["end"], about: "the last run, or the end" },
	{ action: "follow", keys: ["f"], about: "follow new output again" },
	{ action: "enter", keys: ["enter", "right"], about: "read the selected run" },
	{ action: "otherPane", keys: ["tab"], about: "switch between the list and the run" },
	{ action: "fold", keys: ["t"], about: "fold or unfold what tools returned" },
	{ action: "facts", keys: ["i"], about: "switch between the run's details and its transcript" },
	{ action: "message", keys: ["m"], about: "send a message: steers an open run, resumes a finished one" },
	{ action: "stop", keys: ["x"], about: "stop the run" },
	{ action: "open", keys: ["o"], about: "continue a finished run yourself, in a copy of its session" },
	{ action: "diff", keys: ["d"], about: "switch between the run's changes and its transcript" },
	{ action: "apply", keys: ["a"], about: "apply these changes to your working tree, or revert them" },
	{ action: "copy", keys: ["c"], about: "copy the answer" },
	{ action: "scope", keys: ["s"], about: "the runs of all sessions in this folder, or of this session" },
	{ action: "pools", keys: ["w"], about: "the workers of your pools and their places, or the transcript" },
	{ action: "help", keys: ["?"], about: "this help" },
	{ action: "back", keys: ["escape", "left"], about: "back to the list, then close" },
	{ action: "close", keys: ["q", "ctrl+c"], about: "close" },
];

export const actionOf = (data: string): Action | undefined =>
	BINDINGS.find(({ keys }) => keys.some((key) => matchesKey(data, key)))?.action;
