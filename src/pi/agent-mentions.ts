import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { inOneLine } from "../collect/plain.ts";
import { trustedAgentsFor } from "./session-services.ts";
import type { NamedAgent } from "./tool-description.ts";

/** The kind of message that tells the model which agent the user named. */
const MENTION = "pi-geon:mention";

const MENTIONED = /(?<=^|\s)@agent:([\w.-]+)/g;
/** A file or agent name that is being typed at the cursor. */
const BEGUN = /(?:^|\s)(@(?:agent:)?([\w.-]*))$/;
/** A name that can be distinguished from the words around it. */
const NAMEABLE = /^[\w.-]*\w$/;

/** In a terminal, also offers agents after `@`. */
export function offerAgents(ctx: ExtensionContext): void {
	if (ctx.mode === "tui") ctx.ui.addAutocompleteProvider((pis) => withAgents(pis, () => usableAgents(ctx)));
}

/** pi's own suggestions, with agents among them. pi inserts the chosen one, as it does with a file. */
export function withAgents(pis: AutocompleteProvider, agents: () => readonly NamedAgent[]): AutocompleteProvider {
	return {
		...(pis.triggerCharacters && { triggerCharacters: pis.triggerCharacters }),
		async getSuggestions(lines, cursorLine, cursorCol, options) {
			const found = await pis.getSuggestions(lines, cursorLine, cursorCol, options);
			const [, prefix, begun = ""] = BEGUN.exec((lines[cursorLine] ?? "").slice(0, cursorCol)) ?? [];
			// Another extension may offer something else here.
			if (prefix === undefined || (found && found.prefix !== prefix)) return found;
			const offered = agents().filter(({ name }) => name.startsWith(begun) && prefix !== `@agent:${name}`);
			if (offered.length === 0) return found;
			const files = found?.items ?? [];
			// Enter still chooses pi's file. After a bare `@`, all files come first.
			const ahead = prefix === "@" ? files.length : 1;
			return { prefix, items: [...files.slice(0, ahead), ...offered.map(agentItem), ...files.slice(ahead)] };
		},
		applyCompletion: (...completion) => pis.applyCompletion(...completion),
		shouldTriggerFileCompletion: (...place) => pis.shouldTriggerFileCompletion?.(...place) ?? true,
	};
}

function agentItem({ name, description }: NamedAgent): AutocompleteItem {
	return { value: `@agent:${name}`, label: `agent:${name}`, description: inOneLine(description) };
}

/** The line that makes the model delegate to the agents that a prompt names. */
export function mentionLine(prompt: string, agents: () => readonly NamedAgent[]): string | undefined {
	const named = new Set([...prompt.matchAll(MENTIONED)].map(([, name = ""]) => name.replace(/[.-]+$/, "")));
	if (named.size === 0) return undefined;
	const known = agents().filter(({ name }) => named.has(name));
	if (known.length === 0) return undefined;
	const names = known.map(({ name }) => `"${name}"`).join(" and ");
	return `The user asks you to delegate this with the tool subagent, agent ${names}.`;
}

/** The line as a separate message, which the user need not see. Added before pi works on a prompt. */
export function mentionMessage(prompt: string | undefined, ctx: ExtensionContext) {
	const content = mentionLine(prompt ?? "", () => usableAgents(ctx));
	return content === undefined ? undefined : { message: { customType: MENTION, content, display: false, details: {} } };
}

/** Adds the line to the prompt itself, for a prompt that is entered while the model works: it gets no separate message. */
export function mentionInPrompt(text: string, ctx: ExtensionContext) {
	const line = mentionLine(text, () => usableAgents(ctx));
	return line === undefined ? undefined : { action: "transform" as const, text: `${text}\n\n(${line})` };
}

/** The agents at this moment. */
const usableAgents = (ctx: ExtensionContext): NamedAgent[] =>
	trustedAgentsFor(ctx).agents.filter(({ name, switchedOff }) => switchedOff === undefined && NAMEABLE.test(name));
