/** The kind of entry that ends the copy of a parent's conversation in a child's session. */
export const FORK = "pi-geon:fork";

/** The text for the child there. Without it, a child continues with what its parent was about to do. */
export const FORK_LINE = `===== Your own task begins here =====
Everything above this line is a copy of the conversation of the agent that gives you your task. It is background. You said and did none of it, some of the tools used there are not yours, and whatever was asked, planned or left open there is not your task: do not continue it. Your whole task is the message after this line.`;

/** The part of a child's session that is its own: what comes after the copy, if it began with one. */
export function ownPart<Entry extends { type: string; customType?: unknown }>(branch: readonly Entry[]): Entry[] {
	return branch.slice(branch.findIndex(({ type, customType }) => type === "custom_message" && customType === FORK) + 1);
}
