import { expect, test } from "vitest";
import type { Link } from "../../src/ports/wire.ts";
import type { Answer } from "../../src/processes/protocol.ts";
import { newRunId, type RunId } from "../../src/run/ids.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { NO_USER } from "../../src/supervise/ask.ts";
import { HostConnection, type WatchListener } from "../../src/supervise/connection.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { quietWorld } from "../simulation/quiet-world.ts";

const ADDRESS = "/hosts/1.sock";
const QUESTION = { kind: "confirm", title: asItIs<Redacted>("Sure?"), message: asItIs<Redacted>("") } as const;

/** A connection to a host that does what the test says, in virtual time. */
async function scene() {
	const world = quietWorld();
	const [parent, host] = [world.start("p0"), world.start("host")];
	const received: unknown[] = [];
	let theirs: Link | undefined;
	await host.ports.wire.listen(
		ADDRESS,
		(link) => {
			theirs = link;
			link.onMessage((message) => received.push(message));
		},
		() => {},
	);
	const opening = HostConnection.open(ADDRESS, parent.ports);
	const pass = (ms = 100): Promise<void> => {
		const until = world.scheduler.elapsed + ms;
		world.after(ms, () => {});
		return world.scheduler.run(() => world.scheduler.elapsed >= until);
	};
	await pass();
	const connection = await opening;
	await pass();
	const says = (message: object) => {
		theirs?.send(message);
		return pass();
	};
	return { connection, received, says, pass, hangUp: () => theirs?.close(), runId: newRunId(), world };
}

function listener(heard: string[], options: Partial<WatchListener> = {}): WatchListener {
	return { hasUser: false, onHint: () => heard.push("hint"), onAsk: async () => NO_USER, ...options };
}

test("the host knows whether a watcher wants progress, and whether a user is there", async () => {
	const { connection, received, pass, runId } = await scene();
	connection.watch(runId, listener([]));
	connection.watch(runId, listener([], { hasUser: true, onProgress: () => {} }));
	connection.watch(runId, listener([]));
	await pass();
	const watch = (quiet: boolean, user: boolean) => ({ type: "watch", runId, quiet, user });
	expect(received).toEqual([watch(true, false), watch(false, true), watch(false, true)]);
	expect(connection.unusedForMs).toBe(0);
});

test("watchers of a run get its news and no other's, until they stop watching", async () => {
	const { connection, says, runId } = await scene();
	const [heard, others]: [string[], string[]] = [[], []];
	const end = connection.watch(
		runId,
		listener(heard, { onProgress: ({ turnCount }) => heard.push(`turn ${turnCount}`) }),
	);
	connection.watch(newRunId(), listener(others));
	await says({ type: "started", runId });
	await says({ type: "progress", runId, progress: { displayItems: [], usage: NO_USAGE, turnCount: 3 } });
	await says({ type: "asks", runId });
	await says({ type: "nonsense", runId });
	end();
	await says({ type: "ended", runId });
	expect([heard, others, connection.unusedForMs]).toEqual([["hint", "turn 3", "hint"], [], 0]);
});

test.each<[string, () => Promise<Answer | typeof NO_USER>, object]>([
	["what the user said", async () => true, { type: "answer", answer: true }],
	["that it was declined", async () => undefined, { type: "answer" }],
	["that nobody is there", async () => NO_USER, { type: "pass" }],
	["that nobody is there, if the dialog failed", () => Promise.reject(new Error("no screen")), { type: "pass" }],
])("a host that asks is told %s", async (_what, onAsk, expected) => {
	const { connection, received, says, runId } = await scene();
	connection.watch(runId, listener([], { onAsk }));
	connection.watch(runId, listener([], { onAsk: () => expect.fail("the user is asked once") }));
	await says({ type: "ask", runId, askId: 7, question: QUESTION });
	expect(received.at(-1)).toEqual({ ...expected, runId, askId: 7 });
});

test("a question about a run without a listener is passed on", async () => {
	const { received, says, runId } = await scene();
	await says({ type: "ask", runId, askId: 7, question: QUESTION });
	expect(received).toEqual([{ type: "pass", runId, askId: 7 }]);
});

test("a question that is withdrawn, or whose host hangs up, is closed and not answered", async () => {
	const { connection, received, says, hangUp, pass, runId } = await scene();
	const closed: RunId[] = [];
	const onAsk: WatchListener["onAsk"] = (_question, signal) =>
		new Promise((resolve) =>
			signal.addEventListener("abort", () => {
				closed.push(runId);
				resolve(true);
			}),
		);
	connection.watch(runId, listener([], { onAsk }));
	await says({ type: "ask", runId, askId: 1, question: QUESTION });
	await says({ type: "withdrawn", runId, askId: 1 });
	expect(closed).toHaveLength(1);
	await says({ type: "ask", runId, askId: 2, question: QUESTION });
	hangUp();
	await pass();
	expect([closed.length, received.filter((message) => JSON.stringify(message).includes("answer"))]).toEqual([2, []]);
});

test("a host answers a ping in time, too late, or not at all because it hung up", async () => {
	const { connection, says, pass, hangUp } = await scene();
	const inTime = connection.answers(1000);
	await says({ type: "pong" });
	expect(await inTime).toBe(true);
	const tooLate = connection.answers(1000);
	await pass(2000);
	expect(await tooLate).toBe(false);
	const heard: string[] = [];
	connection.watch(newRunId(), listener(heard));
	const never = connection.answers(1000);
	hangUp();
	await pass(50);
	expect([await never, heard, connection.isOpen]).toEqual([false, ["hint"], false]);
});
