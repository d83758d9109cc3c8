import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { admitRun } from "../../src/ledger/admit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { Home } from "../helpers/home.ts";
import { admission, success, type Wish } from "../ledger/samples.ts";

export interface WrittenRun {
	wish?: Wish;
	/** What its session file holds; a string is a line as it is. */
	entries: readonly (object | string)[];
	/** What it answered, if it has finished. */
	answer?: string;
}

/** A run that no pi worked on: its row in the ledger, and its session file. */
export async function writeRun(home: Pick<Home, "agentDir" | "scratch" | "project">, run: WrittenRun): Promise<string> {
	const ledger = await openLedger(placesIn(home.agentDir).ledger);
	try {
		const asked = admission({ mode: "background", at: Date.now(), ...run.wish });
		const file = join(home.scratch, "sessions", `${asked.plan.session.id}.jsonl`);
		mkdirSync(dirname(file), { recursive: true });
		const head = { type: "session", version: 3, id: asked.plan.session.id, timestamp: new Date().toISOString() };
		const lines = [{ ...head, cwd: home.project }, ...run.entries];
		writeFileSync(
			file,
			`${lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`,
		);
		const plan = { ...asked.plan, cwd: home.project, session: { ...asked.plan.session, file } };
		const { run: admitted } = admitRun(ledger, { ...asked, plan });
		if (run.answer !== undefined) {
			endRun(ledger, { id: admitted.id, fence: 0, outcome: success(run.answer), at: Date.now() });
		}
		return admitted.id;
	} finally {
		ledger.close();
	}
}

let entries = 0;
const entry = (message: object): object => {
	const number = entries++;
	return {
		type: "message",
		id: number.toString(16).padStart(8, "0"),
		parentId: number === 0 ? null : (number - 1).toString(16).padStart(8, "0"),
		timestamp: new Date().toISOString(),
		message: { timestamp: Date.now(), ...message },
	};
};

const spent = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120, cost: { total: 0.001 } };

export const told = (text: string): object => entry({ role: "user", content: [{ type: "text", text }] });

export const said = (text: string, calls: readonly object[] = []): object =>
	entry({
		role: "assistant",
		content: [{ type: "text", text }, ...calls],
		provider: "scripted",
		model: "priced",
		usage: spent,
		stopReason: calls.length > 0 ? "toolUse" : "stop",
	});

export const called = (name: string, args: unknown, id = `call-${entries}`): object => ({
	type: "toolCall",
	id,
	name,
	arguments: args,
});

export const returned = (toolName: string, text: string): object =>
	entry({
		role: "toolResult",
		toolCallId: `call-${entries}`,
		toolName,
		content: [{ type: "text", text }],
		isError: false,
	});
