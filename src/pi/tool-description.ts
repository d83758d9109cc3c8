export interface NamedAgent {
	readonly name: string;
	readonly description: string;
}

/** The built-ins and twenty more: enough to choose from, and every request pays for it. */
const LISTED = 25;
const WHAT_CHARS = 72;

/** What the model reads about the `subagent` tool: the agents that there really are, each with what it does. */
export function subagentDescription(agents: readonly NamedAgent[]): string {
	const more = agents.length - LISTED;
	return [
		"Delegate a focused task to a subagent with its own context and get its answer. Calls in one message run side by side. Agents:",
		...agents.slice(0, LISTED).map(agentLine),
		...(more > 0 ? [`…and ${more} more; an unknown name is answered with all of them`] : []),
	].join("\n");
}

function agentLine({ name, description }: NamedAgent): string {
	const { what } = splitDescription(description);
	return what === "" ? `- ${name}` : `- ${name}: ${shorten(what, WHAT_CHARS)}`;
}

/** The first sentence of a description says what an agent does, the others when to use it. */
export function splitDescription(description: string): { what: string; when: string } {
	const line = description.replace(/\s+/g, " ").trim();
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
