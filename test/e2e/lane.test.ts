import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { requestStop } from "../../src/ledger/progress.ts";
import type { RunId } from "../../src/run/ids.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids, killHosts } from "../helpers/hosts.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, text, toolCall } from "../helpers/model-steps.ts";
import { startRpc, summarize } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

type Rpc = ReturnType<typeof startRpc>;

/** A parent that obeys `spawn A B C` and `ask A B`, and notes everything else. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	const [verb, ...tasks] = lastMessage?.role === "tool" ? [] : lastUserText.split(" ");
	if (verb === "spawn")
		return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: task }));
	if (verb === "ask") return tasks.map((task) => delegateTo("explorer", task));
	return text("Noted.");
};

/** Children that wait for the gate of their task, or for the one of all of them. */
const child =
	(gates: Record<string, Gate>): Script =>
	async ({ firstUserText }) => {
		await (gates[firstUserText] ?? gates.all)?.opened;
		return [delay(60), finalize(`Answer to ${firstUserText}.`)];
	};

const laneOf = (maxConcurrent: number, gates: Record<string, Gate>) =>
	openHome({
		config: { agents: { defaults: { subagents: { maxConcurrent } } } },
		script: dispatch({ parent, child: child(gates) }),
	});

const sessionFileOf = async (rpc: Rpc): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

/** The labels that a session file holds announces of, as often as it does. */
const announcedIn = (file: string): string[] =>
	readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { type: string; customType?: string; details: AnnounceDetails })
		.filter((entry) => entry.type === "custom_message" && entry.customType === "pi-geon:announce")
		.map(({ details }) => details.label ?? "")
		.sort();

/** Tasks in the order in which their children came to the model. */
const starts = (home: Home): string[] => [
	...new Set(home.model.requests.filter((request) => request.isChild).map((request) => request.firstUserText)),
];

const states = (home: Home): Record<string, number> =>
	Object.fromEntries(
		inLedger<{ state: string; n: number }>(home, "SELECT state, count(*) AS n FROM runs GROUP BY state").map(
			({ state, n }) => [state, n],
		),
	);

const numbered = (name: string, count: number): string[] =>
	Array.from({ length: count }, (_, index) => `${name}${String(index + 1).padStart(2, "0")}`);

test("forty runs of two parents: never more than four at once, in turns, and all come home once", async () => {
	const gates = { all: gate() };
	const home = await laneOf(4, gates);
	const tasks = { A: numbered("A", 20), B: numbered("B", 20) };
	const [a, b] = [startRpc(home), startRpc(home)];
	await a.promptAndSettle(`spawn ${tasks.A.join(" ")}`);
	await b.promptAndSettle(`spawn ${tasks.B.join(" ")}`);
	await eventually(() => {
		expect(states(home)).toEqual({ running: 4, queued: 36 });
		expect(starts(home)).toHaveLength(4);
	});
	gates.all.open();
	const files = { A: await sessionFileOf(a), B: await sessionFileOf(b) };
	await eventually(() => {
		expect(announcedIn(files.A)).toHaveLength(20);
		expect(announcedIn(files.B)).toHaveLength(20);
	});
	await a.close();
	await b.close();

	expect(announcedIn(files.A)).toEqual(tasks.A);
	expect(announcedIn(files.B)).toEqual(tasks.B);
	expect(home.model.peakOf((request) => request.isChild)).toBe(4);
	const order = starts(home).map((task) => task.slice(0, 1));
	expect(order).toHaveLength(40);
	// The first four places were A's alone. From then on whoever has fewer running is next, to the end of the shorter one.
	const shared = order.slice(4, 4 + 32);
	for (let n = 1; n <= shared.length; n++) {
		const ofA = shared.slice(0, n).filter((owner) => owner === "A").length;
		expect(Math.abs(n - 2 * ofA), shared.join("")).toBeLessThanOrEqual(4);
	}
});

test("a foreground run comes before all waiting background runs, and says how many are ahead", async () => {
	const gates: Record<string, Gate> = { A01: gate(), all: gate() };
	const home = await laneOf(1, gates);
	const [background, foreground] = [startRpc(home), startRpc(home)];
	await background.promptAndSettle(`spawn ${numbered("A", 4).join(" ")}`);
	await home.model.waitFor((request) => request.firstUserText === "A01");
	const asked = foreground.promptAndSettle("ask F G");
	await eventually(() => expect(states(home)).toEqual({ running: 1, queued: 5 }));
	const positions = () =>
		summarize(foreground.events).partials.map(
			({ details }) => (details as SubagentDetails).streaming?.queuePosition ?? -1,
		);
	await eventually(() => expect(positions().sort()).toEqual([0, 1]));
	for (const { open } of Object.values(gates)) open();
	const events = await asked;
	expect(delegations(summarize(events)).map(({ finalized }) => finalized?.result)).toEqual([
		"Answer to F.",
		"Answer to G.",
	]);
	expect(starts(home).slice(0, 3)).toEqual(["A01", "F", "G"]);
	expect(summarize(events).partials.map((partial) => partial.text)).toEqual(
		expect.arrayContaining(["Queued: it is next.", "Queued: 1 ahead."]),
	);
	const file = await sessionFileOf(background);
	await eventually(() => expect(announcedIn(file)).toEqual(numbered("A", 4)));
	await background.close();
	await foreground.close();
});

test("a queued run can be stopped, and its caller is answered at once", async () => {
	const gates = { all: gate() };
	const home = await laneOf(1, gates);
	const rpc = startRpc(home);
	await rpc.promptAndSettle("spawn A B");
	await home.model.waitFor((request) => request.isChild);
	const other = startRpc(home);
	const asked = other.promptAndSettle("ask F");
	await eventually(() => expect(states(home)).toEqual({ running: 1, queued: 2 }));
	const waiting = inLedger<{ id: RunId }>(home, "SELECT id FROM runs WHERE state = 'queued'");
	const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
	for (const { id } of waiting) requestStop(ledger, id, { at: Date.now(), by: "the test" });
	ledger.close();

	expect(delegations(summarize(await asked))).toMatchObject([
		{ error: { code: "SUBAGENT_FAILED", reason: "stopped" }, results: [{ exitCode: 130 }] },
	]);
	const file = await sessionFileOf(rpc);
	await eventually(() => expect(announcedIn(file)).toEqual(["B"]));
	// And A is still running.
	expect(states(home)).toEqual({ running: 1, ended: 2 });
	expect(starts(home)).toEqual(["A"]);
	gates.all.open();
	await eventually(() => expect(announcedIn(file)).toEqual(["A", "B"]));
	await rpc.close();
	await other.close();
});

describe("when everything is killed with runs running and queued, a new pi on the session brings all of them home", () => {
	test.each([
		["of the same environment", {}],
		["of another environment", { ANOTHER_SHELL: "1" }],
	])("%s", async (_name, env) => {
		const gates = { all: gate() };
		const home = await laneOf(2, gates);
		const tasks = numbered("A", 6);
		const rpc = startRpc(home);
		await rpc.promptAndSettle(`spawn ${tasks.join(" ")}`);
		await eventually(() => expect(starts(home)).toHaveLength(2));
		const file = await sessionFileOf(rpc);
		rpc.child.kill("SIGKILL");
		killHosts(home);
		await rpc.exited;
		await eventually(() => expect(hostPids(home)).toEqual([]));
		expect(states(home)).toEqual({ running: 2, queued: 4 });
		gates.all.open();

		const again = startRpc(home, { args: ["--session", file], env });
		await eventually(() => expect(announcedIn(file)).toEqual(tasks));
		await again.close();
		expect(home.model.peakOf((request) => request.isChild)).toBe(2);
	});
});

describe("a place that becomes free in one host is taken in another without waiting for its heartbeat", () => {
	test.each(["spawn", "ask"])("%s", async (verb) => {
		const gates = { A: gate() };
		const home = await openHome({
			config: { agents: { defaults: { subagents: { maxConcurrent: 1 } } } },
			// No heartbeat comes before the test is over.
			env: { PI_GEON_HOST_IDLE_MS: "300000", PI_GEON_LEASE_MS: "600000" },
			script: dispatch({ parent, child: child(gates) }),
		});
		const [a, b] = [startRpc(home), startRpc(home, { env: { ANOTHER_SHELL: "1" } })];
		await a.promptAndSettle("spawn A");
		await home.model.waitFor((request) => request.isChild);
		await b.prompt(`${verb} B`);
		await eventually(() => {
			expect(states(home)).toEqual({ running: 1, queued: 1 });
			expect(inLedger(home, "SELECT id FROM hosts WHERE state = 'ready'")).toHaveLength(2);
		});
		// Until nothing that comes with a start can wake a host any more.
		await sleep(1200);
		gates.A.open();
		await home.model.waitFor((request) => request.firstUserText === "B");
		const file = await sessionFileOf(a);
		await eventually(() => expect(announcedIn(file)).toEqual(["A"]));
		await a.close();
		await b.close();
		killHosts(home, "SIGTERM");
	});
});
