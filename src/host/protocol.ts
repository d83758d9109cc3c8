import type { Socket } from "node:net";
import type { RunId } from "../run/ids.ts";
import type { ContextUse, DisplayItem } from "../run/outcome.ts";
import type { Usage } from "../run/usage.ts";

/**
 * What travels over a host's socket: one JSON value a line. All of it is a hint that may get lost: whoever watches
 * looks at the ledger too.
 */
export type ToHost =
	| { type: "wake" } // There is something new in the ledger: a queued run, a stop request, a message.
	| { type: "ping" } // Answered with a pong: whoever listens may still not be able to work.
	| { type: "watch"; runId: RunId }
	| { type: "answer"; runId: RunId; askId: number; answer?: Answer }
	| { type: "pass"; runId: RunId; askId: number }; // Nobody is here to answer: ask others, or decline.

export type FromHost = { type: "pong" } | OfRun;

/** What is told to those who watch a run. */
export type OfRun =
	| { type: "progress"; runId: RunId; progress: Progress }
	| { type: "started" | "ended"; runId: RunId }
	| { type: "ask"; runId: RunId; askId: number; question: Question }
	| { type: "withdrawn"; runId: RunId; askId: number }; // Answered by another, or of no use any more.

/** A dialog that an extension in a child opens. */
export type Question =
	| { kind: "confirm"; title: string; message: string }
	| { kind: "select"; title: string; options: string[] }
	| { kind: "input"; title: string; placeholder?: string };

/** What the user entered; true or false to a confirm; the number of the chosen option; nothing where it was declined. */
export type Answer = string | boolean | number | undefined;

export interface Progress {
	displayItems: DisplayItem[];
	usage: Usage;
	turnCount: number;
	model?: string;
	startedAt?: number;
	context?: ContextUse;
}

/** A line longer than this is not one of ours. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export function send(socket: Socket, message: ToHost | FromHost): void {
	if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Splits on LF only: JSON may hold U+2028, at which `readline` would split too. */
export function receive(socket: Socket, take: (message: unknown) => void): void {
	let rest = "";
	socket.setEncoding("utf8");
	socket.on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		if (rest.length > MAX_LINE_BYTES) return void socket.destroy(new Error("A line without end was sent."));
		for (const line of lines) {
			const message = parsed(line);
			if (message === undefined) return void socket.destroy(new Error("Something that is not JSON was sent."));
			take(message);
		}
	});
}

function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
