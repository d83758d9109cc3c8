import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import { gate } from "../helpers/gate.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const RUNS = 100;
/** As long as the runs of a crowd wait for each other. */
const CROWD_MS = 11_000;

/** A report of some 4 KB, of many lines. */
const reportOf = (task: string): string =>
	[
		`Found by ${task}`,
		...Array.from({ length: 100 }, (_, line) => `${task} line ${line}: more of what was found`),
	].join("\n");

test("a hundred runs with long reports come home in two turns, once each, and fit 100 KB", async () => {
	/** By the number of the task: the first one alone, then half of the others, then the rest. */
	const gates = { first: gate(), half: gate(), rest: gate() };
	const gateOf = (task: number) => (task === 0 ? gates.first : task < RUNS / 2 ? gates.half : gates.rest);
	const home = await openHome({
		config: { agents: { defaults: { subagents: { maxConcurrent: 2 * RUNS } } } },
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastUserText === "Go." && lastMessage?.role !== "tool"
					? Array.from({ length: RUNS }, (_, index) =>
							toolCall("sessions_spawn", { task: `Task-${index}.`, agent: "explorer" }),
						)
					: text("Noted."),
			child: async ({ firstUserText }) => {
				await gateOf(Number(/\d+/.exec(firstUserText)?.[0])).opened;
				return finalize(reportOf(firstUserText));
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.", 120_000);
	const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
	const turns = () =>
		home.model.requests.filter(({ isChild, lastMessage }) => !isChild && lastMessage?.role === "user");
	const before = turns().length;
	await eventually(() => expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(RUNS));
	gates.first.open();
	await eventually(() => expect(turns()).toHaveLength(before + 1));
	gates.half.open();
	await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state = 'ended'")).toHaveLength(RUNS / 2));
	await pause(700); // Time enough to announce these by themselves, were that allowed.
	gates.rest.open();
	await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE delivery = 'delivered'")).toHaveLength(RUNS));
	await rpc.close();

	const [began, ...later] = turns().slice(before);
	const tookMs = (later.at(-1)?.startedAt ?? 0) - (began?.startedAt ?? 0);
	// One more for each time that this machine took longer than a crowd is waited for.
	expect(later.length).toBeLessThanOrEqual(Math.max(1, Math.ceil(tookMs / CROWD_MS)));

	const announces = readFileSync(sessionFile, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { customType?: string; content: string; details: AnnounceDetails })
		.filter(({ customType }) => customType === "pi-geon:announce");
	expect(new Set(announces.map(({ details }) => details.runId)).size).toBe(RUNS);
	expect(announces).toHaveLength(RUNS);
	const bytes = announces.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
	expect(bytes).toBeLessThanOrEqual(100_000 * Math.max(1, later.length));
	for (const { content, details } of announces) {
		expect(content).toMatch(/^Status: success\n/);
		expect(content).toContain(`Found by ${details.task}`);
		if (details.task === "Task-0.") continue; // The first one came alone, with room for all of it.
		const [, file = ""] = /The whole answer is in (\S+)\]/.exec(content) ?? [];
		expect(readFileSync(file.replace(/^~/, home.home), "utf8")).toBe(reportOf(details.task));
	}
});
