/** The actions of keys. The letters mean the same as in the inspector of the terminal. */
export type PageAction =
	| "up"
	| "down"
	| "first"
	| "last"
	| "enter"
	| "back"
	| "previousRun"
	| "nextRun"
	| "follow"
	| "fold"
	| "facts"
	| "message"
	| "stop"
	| "diff"
	| "apply"
	| "branch"
	| "copy"
	| "export"
	| "scope"
	| "search"
	| "pause"
	| "theme"
	| "help";

interface PageBinding {
	action: PageAction;
	/** Values of `KeyboardEvent.key`. */
	keys: readonly string[];
	/** For the help. */
	about: string;
}

export const PAGE_BINDINGS: readonly PageBinding[] = [
	{ action: "up", keys: ["ArrowUp", "k"], about: "the run above, or scroll up" },
	{ action: "down", keys: ["ArrowDown", "j"], about: "the run below, or scroll down" },
	{ action: "first", keys: ["Home", "g"], about: "the first run, or the beginning" },
	{ action: "last", keys: ["End", "G"], about: "the last run, or the end" },
	{ action: "enter", keys: ["Enter", "ArrowRight"], about: "read the selected run" },
	{ action: "back", keys: ["Escape", "ArrowLeft"], about: "back to the list" },
	{ action: "previousRun", keys: ["["], about: "in a run: the run above it in the list" },
	{ action: "nextRun", keys: ["]"], about: "in a run: the run below it in the list" },
	{ action: "follow", keys: ["f"], about: "follow new output again" },
	{ action: "fold", keys: ["t"], about: "fold or unfold tool calls and results" },
	{ action: "facts", keys: ["i"], about: "all facts of the run, or its transcript" },
	{ action: "message", keys: ["m"], about: "send a message: steers an open run, resumes a finished one" },
	{ action: "stop", keys: ["x"], about: "stop the run" },
	{ action: "diff", keys: ["d"], about: "what the run changed in its tree, or its transcript" },
	{ action: "apply", keys: ["a"], about: "apply these changes to your working tree, or undo that" },
	{ action: "branch", keys: ["b"], about: "put these changes on a branch of your repository" },
	{ action: "copy", keys: ["c"], about: "copy the answer" },
	{ action: "export", keys: ["e"], about: "save the run as a file to share" },
	{ action: "scope", keys: ["s"], about: "the runs of the same conversation, or of all" },
	{ action: "search", keys: ["/"], about: "search" },
	{ action: "pause", keys: ["p"], about: "pause live updates, or continue them" },
	{ action: "theme", keys: ["T"], about: "light, dark, or the system's setting" },
	{ action: "help", keys: ["?"], about: "this help" },
];

export const pageActionOf = (key: string): PageAction | undefined =>
	PAGE_BINDINGS.find(({ keys }) => keys.includes(key))?.action;

const NAMES: Readonly<Record<string, string>> = {
	ArrowUp: "↑",
	ArrowDown: "↓",
	ArrowLeft: "←",
	ArrowRight: "→",
	Escape: "Esc",
};

export const keyName = (key: string): string => NAMES[key] ?? key;
