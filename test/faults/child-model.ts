import type { Script } from "../helpers/model.ts";
import type { ScriptedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, text, toolCall } from "../helpers/model-steps.ts";
import type { Call } from "./plan.ts";

/** What is written in a task: `task p0-7 turns=2 ms=40 stop=300 silent ask=500 declines`. */
export interface Task {
	name: string;
	/** How often the child uses a tool before it returns. */
	turns: number;
	/** How long its model thinks each time. */
	ms: number;
	/** When somebody asks for it to be stopped. */
	stopAfterMs?: number;
	silent: boolean;
	/** How many of its models have no quota left. */
	quota: number;
	/** What it asks the user first. */
	question?: string;
}

export function taskIn(text: string): Task | undefined {
	const [, name] = /^task (\S+)/.exec(text) ?? [];
	if (name === undefined) return undefined;
	const number = (key: string) => Number(new RegExp(`\\b${key}=(\\d+)`).exec(text)?.[1] ?? Number.NaN);
	const stopAfterMs = number("stop");
	return {
		name,
		turns: number("turns") || 0,
		ms: number("ms") || 0,
		...(Number.isFinite(stopAfterMs) && { stopAfterMs }),
		silent: / silent\b/.test(text),
		quota: number("quota") || 0,
		...(/ ask=/.test(text) && {
			question: `${name} ask=${number("ask")}${/ declines\b/.test(text) ? " declines" : ""}`,
		}),
	};
}

/** What the user does about such a question. */
export function questionIn(text: string): { answer: string; afterMs: number; declines: boolean } | undefined {
	const [, name, afterMs, declines] = /^(\S+) ask=(\d+)( declines)?$/.exec(text) ?? [];
	if (name === undefined) return undefined;
	return { answer: `Answer of the user to ${name}`, afterMs: Number(afterMs), declines: declines !== undefined };
}

/** A parent obeys its last prompt, once; a child does as its task says, and continues where it was interrupted. */
export const script: Script = dispatch({ parent, child });

export const promptFor = (calls: Call[]): string => `do ${JSON.stringify(calls)}`;

function parent({ lastMessage, lastUserText }: ScriptedRequest) {
	if (lastMessage?.role === "tool" || !lastUserText.startsWith("do ")) return text("Noted.");
	return (JSON.parse(lastUserText.slice(3)) as Call[]).map(({ tool, args }) => toolCall(tool, args));
}

function child(request: ScriptedRequest) {
	const { task, since } = currentTask(request);
	const answers = request.messages.slice(since).filter(({ role }) => role === "assistant").length;
	const next =
		answers < task.turns
			? [text(`Looking, for the ${answers + 1}. time.`), toolCall("ls", { path: "." })]
			: toolCall("subagent_finalize", { status: "SUCCESS", result: task.silent ? "ANNOUNCE_SKIP" : answerTo(task) });
	return [delay(task.ms), next];
}

export const answerTo = ({ name }: Task): string => `Answer to ${name}.`;

/** The last message that is a task: notes about interruptions and messages of the parent are none. */
export function currentTask({ messages }: ScriptedRequest): { task: Task; since: number } {
	const since = messages.findLastIndex(
		(message) => message.role === "user" && taskIn(contentOf(message)) !== undefined,
	);
	const message = messages[since];
	const task = message && taskIn(contentOf(message));
	if (!task) throw new Error("A child came to the model without a task.");
	return { task, since };
}

function contentOf({ content }: ScriptedRequest["messages"][number]): string {
	return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}
