import type { StartingContext } from "../run/starting-context.ts";

export interface NamedAgent {
	readonly name: string;
	readonly description: string;
	/** `fork`: it starts with a copy of the conversation. */
	readonly context?: StartingContext;
	/** Why it may not run, if its file says so. */
	readonly switchedOff?: string;
}

/** Every request pays for the text about agents: about twenty with a sentence each, and as many names again. */
const SENTENCES_CHARS = 2_400;
const NAMES_CHARS = 500;
/** More than any sentence that a person writes; a text without a full stop is cut. */
const SENTENCE_CHARS = 240;

/** The text for the model about the `subagent` tool: the agents that really exist, each with what it does. */
export function subagentDescription(agents: readonly NamedAgent[]): string {
	const usable = agents.filter(({ switchedOff }) => switchedOff === undefined);
	const lines = withinBudget(usable.map(agentLine), SENTENCES_CHARS);
	const rest = usable.slice(lines.length).map(({ name }) => name);
	const names = withinBudget(rest, NAMES_CHARS);
	const more = rest.length - names.length;
	return [
		"Delegate a task to a subagent with its own context and get its answer. Calls in one message run in parallel. Agents:",
		...lines,
		...(names.length > 0 ? [`Also: ${names.join(", ")}`] : []),
		...(more > 0 ? [`…and ${more} more; an unknown name is answered with names to choose from`] : []),
	].join("\n");
}

/** The first texts, as many as fit. */
function withinBudget(texts: readonly string[], chars: number): string[] {
	let left = chars;
	const end = texts.findIndex((text) => {
		left -= text.length + 2;
		return left < 0;
	});
	return end === -1 ? [...texts] : texts.slice(0, end);
}

function agentLine({ name, description, context }: NamedAgent): string {
	const { what } = splitDescription(description);
	const line = what === "" ? `- ${name}` : `- ${name}: ${shorten(what, SENTENCE_CHARS)}`;
	return context === "fork" ? `${line} (knows this conversation)` : line;
}

/** The first sentence of a description says what an agent does, the rest says when to use it. */
export function splitDescription(description: string): { what: string; when: string } {
	// Claude Code writes the line breaks of a description as `\n`.
	const line = description
		.replace(/\\n|\s+/g, " ")
		.replace(/ {2,}/g, " ")
		.trim();
	const [, what = line, when = ""] = /^(.+?[.!?]) (?=\p{Lu})(.*)$/u.exec(line) ?? [];
	return { what, when };
}

/** Cuts between the parts of a sentence if that keeps most of it, otherwise between words. */
export function shorten(text: string, chars: number): string {
	if (text.length <= chars) return text;
	const head = text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
	const [part = ""] = /^.*[^\s,;](?=[,;]| and | or )/.exec(head) ?? [];
	return `${part.length > chars / 2 ? part : head.replace(/\s+\S*$/, "")}…`;
}
