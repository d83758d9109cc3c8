import { stripVTControlCharacters, styleText } from "node:util";
import type { PiEvent } from "./json-lines.ts";

type DisplayItem =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "toolCall"; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

interface SubagentDetails {
	readonly runId?: string;
	readonly error?: { readonly code: string; readonly message: string };
	readonly streaming?: { readonly displayItems: readonly DisplayItem[] };
	readonly results?: readonly {
		readonly exitCode: number;
		readonly sessionFile?: string;
		readonly displayItems?: readonly DisplayItem[];
		readonly output?: string;
		readonly usage?: { readonly input: number; readonly output: number; readonly cost: number; readonly turns: number };
	}[];
}

interface ToolPayload {
	readonly content?: readonly { readonly type: string; readonly text?: string }[];
	readonly details?: SubagentDetails;
}

type Style = Parameters<typeof styleText>[0];

/** Tells what pi's events mean, line by line as they happen: no cursor tricks, so a pipe reads the same as a terminal. */
export class Story {
	/** The delegation came back with a proper answer. */
	succeeded = false;
	readonly #out: NodeJS.WriteStream;
	readonly #shown = new Map<string, number>();
	readonly #facts: [string, string][] = [];

	constructor(out: NodeJS.WriteStream) {
		this.#out = out;
	}

	title(text: string): void {
		this.#line(this.#paint("bold", text));
		this.#line("");
	}

	says(who: string, text: string): void {
		this.#block(this.#paint(["bold", "cyan"], who), text, "  ");
	}

	fact(name: string, value: string): void {
		this.#facts.push([name, value]);
	}

	end(): void {
		this.#line("");
		for (const [name, value] of this.#facts) this.#line(`${this.#paint("dim", name.padEnd(9))}${value}`);
	}

	problem(text: string): void {
		this.#block(this.#paint(["bold", "red"], "Problem"), text, "  ");
	}

	/** The events of `pi --mode json`. */
	event(event: PiEvent): void {
		if (event.type === "message_end")
			this.#messageEnd(event.message as { role: string; content?: unknown; errorMessage?: string });
		if (event.toolName !== "subagent") return;
		const id = String(event.toolCallId);
		if (event.type === "tool_execution_start") this.#delegated(event.args as { agent?: string; task?: string });
		if (event.type === "tool_execution_update") this.#progress(id, event.partialResult as ToolPayload);
		if (event.type === "tool_execution_end") this.#cameHome(id, event.result as ToolPayload);
	}

	#messageEnd(message: { role: string; content?: unknown; errorMessage?: string }): void {
		if (message.role !== "assistant") return;
		const parts = Array.isArray(message.content) ? (message.content as { type: string; text?: string }[]) : [];
		const text = parts.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])).join("");
		if (text) this.says("Parent", text);
		if (message.errorMessage) this.problem(message.errorMessage);
	}

	#delegated({ agent = "?", task = "" }: { agent?: string; task?: string }): void {
		this.#block(this.#paint(["bold", "cyan"], `Parent → ${agent}`), task, "  ");
	}

	#progress(id: string, { details }: ToolPayload): void {
		const items = details?.streaming?.displayItems ?? [];
		// The last text may still be growing; what follows it shows that it is complete.
		const complete = items.at(-1)?.type === "text" ? items.slice(0, -1) : items;
		this.#showItems(id, complete);
	}

	#cameHome(id: string, { content = [], details = {} }: ToolPayload): void {
		const [result] = details.results ?? [];
		this.#showItems(id, result?.displayItems ?? []);
		this.succeeded = result?.exitCode === 0;
		const text = content.map((part) => part.text ?? "").join("");
		this.#block(this.#paint(["bold", this.succeeded ? "green" : "red"], "Child came home"), text, "  ");
		if (details.runId) this.fact("run", details.runId);
		if (result?.sessionFile) this.fact("session", result.sessionFile);
		if (result?.usage) this.fact("usage", describeUsage(result.usage));
	}

	#showItems(id: string, items: readonly DisplayItem[]): void {
		const shown = this.#shown.get(id) ?? 0;
		for (const item of items.slice(shown)) {
			const text = item.type === "text" ? item.text.trim() : this.#call(item.name, item.args);
			if (text) this.#wrapped(text, this.#paint("dim", "  │ "), 4);
		}
		this.#shown.set(id, Math.max(shown, items.length));
	}

	#call(name: string, args: Readonly<Record<string, unknown>>): string {
		// The final answer is shown in full when it arrives.
		const shown = name === "subagent_finalize" ? { status: args.status } : args;
		return `${this.#paint("yellow", name)} ${describeArgs(shown)}`;
	}

	#block(head: string, text: string, indent: string): void {
		this.#line(head);
		for (const line of text.split("\n")) this.#wrapped(line, indent, indent.length);
	}

	#wrapped(text: string, prefix: string, prefixWidth: number): void {
		for (const line of wrap(text, Math.max(20, (this.#out.columns ?? 100) - prefixWidth))) this.#line(prefix + line);
	}

	#line(text: string): void {
		this.#out.write(`${text}\n`);
	}

	/** Plain if colour is unwanted (NO_COLOR) or would end up in a file. */
	#paint(style: Style, text: string): string {
		return styleText(style, text, { stream: this.#out });
	}
}

function describeArgs(args: Readonly<Record<string, unknown>>): string {
	return Object.entries(args)
		.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
		.join(" ");
}

function describeUsage(usage: { input: number; output: number; cost: number; turns: number }): string {
	const cost = usage.cost > 0 ? `, $${usage.cost.toFixed(4)}` : "";
	return `${usage.turns} turns, ${usage.input} tokens in, ${usage.output} out${cost}`;
}

/** At spaces where there are any; a longer word is left whole, so that a path can be copied. */
function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = "";
	for (const word of text.split(" ")) {
		if (line && visibleLength(line) + 1 + visibleLength(word) > width) {
			lines.push(line);
			line = word;
		} else line = line ? `${line} ${word}` : word;
	}
	return [...lines, line];
}

const visibleLength = (text: string): number => stripVTControlCharacters(text).length;
