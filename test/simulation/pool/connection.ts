import type { CourierQueue, PorterQueue } from "../../../src/pool/queue.ts";
import type { PoolProcess } from "./machine.ts";
import type { PoolWorld } from "./world.ts";

/** As the driver's limits in src/pool/database.ts. */
const STATEMENT_WITHIN_MS = 20_000;
const REFUSED_AFTER_MS = 5;
/** One answer in so many is lost on its way, after what was asked for has happened. */
const ANSWER_LOST = 0.01;
const HINT_LOST = 0.1;

/** A courier's way to the simulated database. */
export function courierQueue(world: PoolWorld, process: PoolProcess): CourierQueue {
	const { courier } = world.postgres;
	return connected(world, process, courier as Record<keyof typeof courier, Work>) as unknown as CourierQueue;
}

export function porterQueue(world: PoolWorld, process: PoolProcess): PorterQueue {
	const { porter } = world.postgres;
	const queue = connected(world, process, porter as Record<keyof typeof porter, Work>);
	return {
		...(queue as unknown as PorterQueue),
		listen: (onHint) => listen(world, process, "workers", onHint),
	};
}

type Work = (...args: unknown[]) => unknown;

/** Hears most hints, a little later. */
export function listen(
	world: PoolWorld,
	process: PoolProcess,
	to: "workers" | "requesters",
	onHint: (job: string | undefined) => void,
): void {
	world.listeners.add({
		to,
		process,
		hear: (job) => {
			if (world.random.chance(HINT_LOST) || isSilent(world, process)) return;
			process.clock.after(world.random.between(1, 20), () => onHint(job === "" ? undefined : job));
		},
	});
}

const isSilent = ({ scheduler }: PoolWorld, { machine }: PoolProcess) =>
	machine.network.silentUntil > scheduler.elapsed;

/** Each question goes there, is answered in one event, and comes back; or any of it goes wrong. */
function connected(world: PoolWorld, process: PoolProcess, works: Record<string, Work>): Record<string, Work> {
	return Object.fromEntries(
		Object.entries(works).map(([name, work]) => [
			name,
			(...args: unknown[]) => ask(world, process, () => work(...args)),
		]),
	);
}

function ask(world: PoolWorld, process: PoolProcess, work: () => unknown): Promise<unknown> {
	const { random } = world;
	const { network } = process.machine;
	const { cuts } = network;
	return new Promise((resolve, reject) => {
		const fail = (after: number, why: string) => void process.clock.after(after, () => reject(new Error(why)));
		const arrive = () => {
			if (isSilent(world, process)) return fail(STATEMENT_WITHIN_MS, "Query read timeout");
			if (world.isDown || network.cuts !== cuts) return fail(REFUSED_AFTER_MS, "Connection terminated unexpectedly");
			let answer: () => void;
			try {
				const found = structuredClone(work());
				answer = () => resolve(found);
			} catch (error) {
				answer = () => reject(error);
			}
			const isLost = !world.isCalm && random.chance(ANSWER_LOST);
			const back = random.between(1, 15);
			process.clock.after(back, () => {
				if (isLost || network.cuts !== cuts || world.isDown) reject(new Error("Connection terminated unexpectedly"));
				else answer();
			});
		};
		// What was sent arrives even if the sender dies or is suspended meanwhile.
		world.after(random.between(1, 15), arrive);
	});
}
