import type { PiEvent } from "../../demo/json-lines.ts";
import type { Home } from "./home.ts";
import { type PiRun, type RunOptions, runPi } from "./run-pi.ts";

interface ToolOutcome {
	readonly name: string;
	readonly toolCallId: string;
	readonly text: string;
	readonly details: unknown;
	readonly isError: boolean;
}

export interface Prompted extends PiRun {
	readonly toolResults: readonly ToolOutcome[];
	/** What tools reported while they ran. */
	readonly partials: readonly Omit<ToolOutcome, "isError">[];
	/** The text of the last assistant message. */
	readonly finalText: string;
}

export interface PromptOptions extends RunOptions {
	/** More arguments, before the prompt. */
	readonly args?: readonly string[];
}

/** `pi --mode json -p <text>` with the home's extension, and its events sorted out. */
export async function promptPi(home: Home, text: string, options: PromptOptions = {}): Promise<Prompted> {
	const { args = [], ...runOptions } = options;
	const run = await runPi(home, ["--mode", "json", ...home.extensionArgs, ...args, "-p", text], runOptions);
	return { ...run, ...summarize(run.events) };
}

export function summarize(events: readonly PiEvent[]): Pick<Prompted, "toolResults" | "partials" | "finalText"> {
	const ofType = (type: string) => events.filter((event) => event.type === type);
	return {
		toolResults: ofType("tool_execution_end").map((event) => ({
			...toolOutput(event, event.result),
			isError: event.isError === true,
		})),
		partials: ofType("tool_execution_update").map((event) => toolOutput(event, event.partialResult)),
		finalText: textOfContent(assistantMessages(events).at(-1)?.content),
	};
}

export interface AssistantMessage {
	readonly role: "assistant";
	readonly content: unknown;
	readonly stopReason: string;
	readonly errorMessage?: string;
	readonly usage?: { readonly input: number; readonly output: number; readonly cost: { readonly total: number } };
}

export function assistantMessages(events: readonly PiEvent[]): AssistantMessage[] {
	return events
		.filter((event) => event.type === "message_end")
		.map((event) => event.message as { role: string })
		.filter((message): message is AssistantMessage => message.role === "assistant");
}

function toolOutput(event: PiEvent, result: unknown) {
	const { content, details } = (result ?? {}) as { content?: unknown; details?: unknown };
	return {
		name: String(event.toolName),
		toolCallId: String(event.toolCallId),
		text: textOfContent(content),
		details,
	};
}

function textOfContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: { type?: string; text?: string }) => (part.type === "text" ? (part.text ?? "") : ""))
		.join("");
}
