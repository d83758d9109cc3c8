import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Watchers } from "../../src/host/watchers.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Link, Wire } from "../../src/ports/wire.ts";
import type { Progress, Question } from "../../src/processes/protocol.ts";
import { socketWire } from "../../src/processes/socket-wire.ts";
import { newRunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { RunObserver } from "../../src/supervise/observer.ts";
import { asItIs } from "../helpers/as-it-is.ts";

const question = asItIs<Question>({ kind: "confirm", title: "Now?", message: "" });
const runId = newRunId();
const progress = (turnCount: number) => asItIs<Progress>({ displayItems: [], usage: NO_USAGE, turnCount });

const closing: (() => void)[] = [];
afterEach(() => {
	for (const close of closing.splice(0).reverse()) close();
});

function folder(): string {
	const made = mkdtempSync(join(tmpdir(), "pi-geon-observers-"));
	closing.push(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

/** A host's socket, one who looks on, and what each hears. */
async function scene() {
	const address = join(folder(), "h.sock");
	const wakes: number[] = [];
	const watchers = await Watchers.listen({
		address,
		wire: socketWire,
		clock: systemClock,
		onWake: () => wakes.push(1),
		onTrouble: () => {},
	});
	closing.push(() => watchers.close());
	watchers.progress(runId, () => progress(1));
	const seen = { turns: [] as number[], asks: [] as number[][], closed: 0 };
	const changed = new EventTarget();
	const tell = () => changed.dispatchEvent(new Event("change"));
	const observer = await RunObserver.open(socketWire, address, runId, {
		onProgress({ turnCount }) {
			seen.turns.push(turnCount);
			tell();
		},
		onAsks(open) {
			seen.asks.push([...open.keys()]);
			tell();
		},
		onClose() {
			seen.closed++;
			tell();
		},
	});
	const until = async (isSo: () => boolean) => {
		while (!isSo()) await new Promise((resolve) => changed.addEventListener("change", resolve, { once: true }));
	};
	return { address, watchers, wakes, seen, observer, until };
}

/** The host has heard what was sent before. */
async function heard(link: Link): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	link.onMessage((message) => (message as { type: string }).type === "pong" && resolve());
	link.send({ type: "ping" });
	await promise;
}

const forever = () => new AbortController().signal;

describe("an observer of a run", () => {
	test("receives progress, and does not otherwise exist for the host", async () => {
		const { watchers, wakes, seen, until } = await scene();
		await until(() => seen.turns.length > 0);
		expect(watchers.watchAny(() => true)).toBe(false);
		expect(watchers.presence(runId)).toBe("unknown");
		expect(wakes).toEqual([]);
	});

	test("may answer a dialog that a watcher sees too, and the first answer counts", async () => {
		const { address, watchers, wakes, seen, observer, until } = await scene();
		const parent = await socketWire.connect(address);
		closing.push(() => parent.close());
		const withdrawn = Promise.withResolvers<unknown>();
		parent.onMessage((message) => (message as { type: string }).type === "withdrawn" && withdrawn.resolve(message));
		parent.send({ type: "watch", runId, user: true });
		await heard(parent);
		expect([watchers.watchAny(() => true), watchers.presence(runId)]).toEqual([true, "user"]);
		const wokenByParent = wakes.length;
		const answer = watchers.ask(runId, question, { patienceMs: 0, signal: forever() });
		await until(() => seen.asks.length > 0);
		expect(observer.answer(seen.asks[0]?.[0] ?? 0, true)).toBe(true);
		expect(await answer).toBe(true);
		expect(await withdrawn.promise).toMatchObject({ type: "withdrawn", runId });
		expect(wakes).toHaveLength(wokenByParent);
		expect(observer.answer(1, false)).toBe(false);
	});

	test("is not waited for: a dialog that it alone sees is declined", async () => {
		const { watchers, seen, until } = await scene();
		await until(() => seen.turns.length > 0);
		const answer = watchers.ask(runId, question, { patienceMs: 50, signal: forever() });
		expect(await answer).toBeUndefined();
		await until(() => seen.asks.length === 2);
		expect(seen.asks.map(({ length }) => length)).toEqual([1, 0]);
	});

	test("leaves when the run ends", async () => {
		const { watchers, seen, until } = await scene();
		await until(() => seen.turns.length > 0);
		watchers.ended(runId);
		await until(() => seen.closed > 0);
	});

	test("is ignored by an older host, which passes over the message", async () => {
		const heardThere: unknown[] = [];
		const address = join(folder(), "old.sock");
		const wire: Wire = socketWire;
		const listener = await wire.listen(
			address,
			(link) => link.onMessage((message) => heardThere.push((message as { type: string }).type)),
			() => {},
		);
		closing.push(() => listener.close());
		const gone = Promise.withResolvers<void>();
		const observer = await RunObserver.open(wire, address, runId, {
			onProgress: () => {},
			onAsks: () => {},
			onClose: gone.resolve,
		});
		observer.close();
		await gone.promise;
		expect(heardThere).toEqual(["observe"]);
	});
});
