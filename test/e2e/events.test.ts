import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import type { RunEvent } from "../../src/deliver/run-event.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type PiEvent, promptPi, somePi, startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";

const openHome = useHome();
const shared = useSharedPi();
type Rpc = ReturnType<typeof startRpc>;

/** `spawn A B` in the background, `delegate A` in the foreground; anything else is noted. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Under way.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb === "delegate") return tasks.map((task) => delegateTo("explorer", task));
	if (verb !== "spawn") return text("Noted.");
	return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: `label ${task}` }));
};

const child =
	(gates: Record<string, Gate> = {}): Script =>
	async ({ firstUserText }) => {
		await gates[firstUserText]?.opened;
		return finalize(firstUserText === "silent" ? "ANNOUNCE_SKIP" : `Answer to ${firstUserText}.`);
	};

const withListener = (childScript: Script = child()) => ({
	moreExtensions: [join(repositoryRoot, "test", "children", "event-listener.ts")],
	script: dispatch({ parent, child: childScript }),
});
const open = (childScript?: Script): Promise<Home> => openHome(withListener(childScript));

interface Heard {
	step: string;
	pid: number;
	event: RunEvent;
}

function heardIn({ project }: Home): Heard[] {
	const file = join(project, "events.jsonl");
	if (!existsSync(file)) return [];
	return readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as Heard);
}

/** The steps of each run, in the order of the first. */
function stepsIn(home: Home): string[][] {
	const runs = Map.groupBy(heardIn(home), ({ event }) => event.runId);
	return [...runs.values()].map((heard) => heard.map(({ step }) => step));
}

const heardUntil = (rpc: Rpc, home: Home, enough: (heard: Heard[]) => boolean): Promise<void> =>
	expect.poll(() => enough(heardIn(home)), { message: rpc.stderr }).toBe(true);

const sessionFileOf = async (rpc: Rpc): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

const BACKGROUND = ["created", "started", "ended", "announced"];
const FOREGROUND = ["created", "started", "ended"];
const identity = {
	version: 1,
	runId: expect.stringMatching(/^[0-9a-f]{8}$/),
	sessionKey: expect.stringMatching(/^agent:main:subagent:[0-9a-f-]{36}$/),
	agent: "explorer",
};
const success = expect.objectContaining({
	status: "success",
	exitCode: 0,
	finalized: { status: "SUCCESS", result: "Answer to A." },
});

describe.each(somePi(import.meta.url))("other extensions get the events of each run, on pi %s", (version) => {
	test("in the background: created, started, ended, announced", async () => {
		const home = await shared.openHome({ ...withListener(), pi: version });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn A");
		await heardUntil(rpc, home, (heard) => heard.some(({ step }) => step === "announced"));
		await rpc.send({ type: "new_session" });
		const common = { ...identity, label: "label A" };
		expect(heardIn(home).map(({ step, event }) => ({ step, event }))).toEqual([
			{ step: "created", event: { ...common, state: "queued" } },
			{ step: "started", event: { ...common, state: "running" } },
			{ step: "ended", event: { ...common, state: "ended", outcome: success } },
			{ step: "announced", event: { ...common, state: "ended", outcome: success } },
		]);
	});

	test("in the foreground: created, started, ended", async () => {
		const home = await shared.openHome({ ...withListener(), pi: version });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("delegate A");
		await rpc.promptAndSettle("And then?");
		await rpc.send({ type: "new_session" });
		expect(heardIn(home).map(({ step, event }) => ({ step, event }))).toEqual([
			{ step: "created", event: { ...identity, state: "queued" } },
			{ step: "started", event: { ...identity, state: "running" } },
			{ step: "ended", event: { ...identity, state: "ended", outcome: success } },
		]);
	});
});

longTest("many at once: each run has its own four steps", async () => {
	const home = await shared.openHome(withListener());
	const rpc = await shared.newSession(home);
	await rpc.promptAndSettle("spawn A B C D E F");
	await rpc.promptAndSettle("delegate G H");
	await heardUntil(rpc, home, (heard) => heard.filter(({ step }) => step === "announced").length === 6);
	await rpc.send({ type: "new_session" });
	const steps = stepsIn(home);
	expect(steps.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => BACKGROUND));
	expect(steps.slice(6)).toEqual([FOREGROUND, FOREGROUND]);
});

longTest("pi -p gets all four before it exits", async () => {
	const home = await open();
	await promptPi(home, "spawn A");
	expect(stepsIn(home)).toEqual([BACKGROUND]);
});

test("a run that asks for silence is not announced", async () => {
	const home = await shared.openHome(withListener());
	const rpc = await shared.newSession(home);
	await rpc.promptAndSettle("spawn silent");
	await heardUntil(rpc, home, (heard) => heard.some(({ step }) => step === "ended"));
	await rpc.promptAndSettle("And then?");
	await rpc.send({ type: "new_session" });
	expect(stepsIn(home)).toEqual([["created", "started", "ended"]]);
});

describe("a run of an earlier process", () => {
	const afterRestart = async (endedMeanwhile: boolean, verb: "spawn" | "delegate") => {
		const proceed = gate();
		const home = await open(child({ A: proceed }));
		const first = startRpc(home);
		await first.prompt(`${verb} A`);
		await home.model.waitFor((request) => request.isChild);
		await heardUntil(first, home, (heard) => heard.some(({ step }) => step === "started"));
		const file = await sessionFileOf(first);
		first.child.kill("SIGKILL");
		await first.exited;
		const childRequest = await home.model.waitFor((request) => request.isChild);
		if (endedMeanwhile) {
			proceed.open();
			await childRequest.ended;
		}
		const second = startRpc(home, { args: ["--session", file] });
		await second.send({ type: "get_state" });
		proceed.open();
		await heardUntil(second, home, (heard) => heard.some(({ step }) => step === "announced"));
		await second.close();
		return { heard: heardIn(home), pids: [first.child.pid, second.child.pid] };
	};

	longTest.each([
		{ verb: "spawn", endedMeanwhile: false },
		{ verb: "spawn", endedMeanwhile: true },
		{ verb: "delegate", endedMeanwhile: false },
	] as const)("$verb, ended meanwhile: $endedMeanwhile", async ({ verb, endedMeanwhile }) => {
		const { heard, pids } = await afterRestart(endedMeanwhile, verb);
		const common = verb === "spawn" ? { ...identity, label: "label A" } : identity;
		expect(heard).toEqual([
			{ step: "created", pid: pids[0], event: { ...common, state: "queued" } },
			{ step: "started", pid: pids[0], event: { ...common, state: "running" } },
			{ step: "ended", pid: pids[1], event: { ...common, state: "ended", outcome: success } },
			{ step: "announced", pid: pids[1], event: { ...common, state: "ended", outcome: success } },
		]);
	});
});

const announceOf = async (rpc: Rpc, from = 0): Promise<AnnounceDetails> => {
	const isAnnounce = (event: PiEvent) =>
		event.type === "message_end" && (event.message as { customType?: string }).customType === "pi-geon:announce";
	const event = await rpc.waitForEvent(isAnnounce, { from });
	return (event.message as { details: AnnounceDetails }).details;
};

describe("a route", () => {
	const route = { channel: "C1", thread: 'a "quoted" one', nested: [1, null, { deep: true }] };

	test.each(["/announce-route", "/subagents-route", "/route-by-event"])(
		"set by %s comes back with the announce",
		async (command) => {
			const home = await shared.openHome(withListener());
			const rpc = await shared.newSession(home);
			await rpc.prompt(`${command} ${JSON.stringify(route)}`);
			await rpc.promptAndSettle("spawn A");
			expect(await announceOf(rpc)).toMatchObject({ label: "label A", route });
			expect(JSON.stringify(home.model.requests.map(({ messages }) => messages))).not.toContain(command);
		},
	);

	longTest("is that of the moment of spawning", async () => {
		const gates = { A: gate(), B: gate(), C: gate() };
		const home = await shared.openHome(withListener(child(gates)));
		const rpc = await shared.newSession(home);
		await rpc.prompt('/announce-route {"thread":1}');
		await rpc.promptAndSettle("spawn A");
		await rpc.prompt('/announce-route {"thread":2}');
		await rpc.promptAndSettle("spawn B");
		await rpc.prompt("/announce-route {not json");
		await rpc.waitForEvent((event) => event.type === "extension_ui_request" && event.notifyType === "error");
		await rpc.prompt("/announce-route");
		await rpc.promptAndSettle("spawn C");
		const routes: unknown[] = [];
		for (const proceed of Object.values(gates)) {
			const before = rpc.events.length;
			proceed.open();
			routes.push((await announceOf(rpc, before)).route);
		}
		expect(routes).toEqual([{ thread: 1 }, { thread: 2 }, undefined]);
	});

	longTest.each(["spawn", "delegate"])("survives the process: %s", async (verb) => {
		const proceed = gate();
		const home = await open(child({ A: proceed }));
		const first = startRpc(home);
		// A session file is written with the first answer.
		await first.promptAndSettle("Hello.");
		await first.prompt(`/announce-route ${JSON.stringify(route)}`);
		await first.prompt(`${verb} A`);
		await home.model.waitFor((request) => request.isChild);
		const file = await sessionFileOf(first);
		first.child.kill("SIGKILL");
		await first.exited;
		proceed.open();
		const second = startRpc(home, { args: ["--session", file] });
		expect(await announceOf(second)).toMatchObject({ route });
		await second.waitForEvent((event) => event.type === "agent_settled");
		// And is still there for what is spawned from now on.
		const before = second.events.length;
		await second.promptAndSettle("spawn B");
		expect(await announceOf(second, before)).toMatchObject({ label: "label B", route });
	});
});
