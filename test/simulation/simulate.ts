import { readAudit } from "../faults/audit.ts";
import { type Violation, violations } from "../faults/check.ts";
import type { Evidence } from "../faults/evidence.ts";
import { readRuns } from "../faults/evidence.ts";
import { SimUser } from "./parent.ts";
import { type History, planHistory } from "./plan.ts";
import { entriesOf } from "./session-file.ts";
import { World } from "./world.ts";

/**
 * How long it may take until another run comes home, once nothing goes wrong any more, in virtual milliseconds. The longest
 * takes 48 s by itself, and in a lane of one they run one after the other.
 */
const COME_HOME_MS = 90_000;
const FAULTS_UNTIL_MS = 60_000;
/** How long idle hosts may take to leave. */
const LEAVE_MS = 60_000;

export interface Verdict {
	history: History;
	violations: Violation[];
	timeline: string[] | undefined;
	events: number;
	faults: number;
	runs: number;
}

export const simulate = (seed: number, options: { traced?: boolean } = {}): Promise<Verdict> =>
	replay(planHistory(seed), options);

/** Lives through a history, and judges what is left of it. */
export async function replay(history: History, { traced = false } = {}): Promise<Verdict> {
	const world = new World(history, { traced });
	const { scheduler } = world;
	const users = history.parents.map((prompts, index) => new SimUser(world, `p${index}`, prompts));
	const tooLong = () => scheduler.isTired;

	await scheduler.run(
		() =>
			(users.every(({ isDone }) => isDone) && world.calmSince <= scheduler.elapsed) ||
			scheduler.elapsed > FAULTS_UNTIL_MS ||
			tooLong(),
	);
	world.isCalm = true;
	let last = { owed: world.owed().length, at: scheduler.elapsed };
	const isStuck = () => {
		const owed = world.owed().length;
		if (owed !== last.owed) last = { owed, at: scheduler.elapsed };
		return scheduler.elapsed > last.at + COME_HOME_MS;
	};
	const isHome = () => users.every(({ isDone, isIdle }) => isDone && isIdle) && world.owed().length === 0;
	await scheduler.run(() => isHome() || isStuck() || tooLong());
	const troubles = [
		...world.owed(),
		...users.flatMap((user, index) => (user.isIdle && user.isDone ? [] : [`p${index} is still busy`])),
	];
	world.isOver = true;
	for (const user of users) void user.close();
	const closedAt = scheduler.elapsed;
	const isEmpty = () => [...world.processes.values()].every(({ isAlive }) => !isAlive);
	await scheduler.run(() => isEmpty() || scheduler.elapsed > closedAt + LEAVE_MS || tooLong());
	for (const process of world.processes.values()) if (process.isAlive) troubles.push(`${process.name} is left running`);
	troubles.push(...straySockets(world));
	for (const error of scheduler.uncaught)
		troubles.push(`nobody caught ${error instanceof Error ? error.stack : error}`);
	if (tooLong()) troubles.push("the history never came to rest");

	const evidence = evidenceOf(world, troubles);
	const found = [...violations(evidence), ...answeredTwice(evidence), ...restless(world)];
	const { length: faults } = world.faults;
	return {
		history,
		violations: found,
		timeline: world.timeline,
		events: scheduler.events,
		faults: faults + history.troubles.length,
		runs: evidence.runs.length,
	};
}

/** Three times what the busiest second takes of a process that waits for hints and timers. */
const MOST_READS = 2500;

function restless({ processes }: World): Violation[] {
	return [...processes.values()]
		.filter(({ mostReads }) => mostReads > MOST_READS)
		.map(({ name, mostReads }) => ({
			promise: "nobody looks without a pause",
			because: `${name} asked the ledger ${mostReads} times in one second`,
		}));
}

/** Nobody looks after the socket of a host that the ledger calls gone. */
function straySockets({ database, wire }: World): string[] {
	const gone = database.raw.prepare("SELECT socket FROM hosts WHERE state = 'gone'").all() as { socket: string }[];
	const left = new Set(wire.addresses);
	return gone.filter(({ socket }) => left.has(socket)).map(({ socket }) => `${socket} is left, of a host that is gone`);
}

function evidenceOf(world: World, troubles: string[]): Evidence {
	const { raw } = world.database;
	const transcripts = world.files.names.map((name) => {
		const file = name.replace(/\.deleted\..*/, "");
		const [header, ...entries] = entriesOf(world, name);
		return {
			file,
			whose: file.startsWith("/parents/") ? ("parent" as const) : ("child" as const),
			sessionId: header?.id ?? "",
			entries,
		};
	});
	return {
		laneLimit: world.history.laneLimit,
		...readRuns(raw),
		moves: readAudit(raw),
		transcripts,
		requests: world.requests,
		shown: world.shown,
		lagMs: 0,
		appends: world.files.appends,
		faults: world.faults as Evidence["faults"],
		processes: [],
		diskWasFull: world.history.troubles.some(({ what }) => what === "disk"),
		ledgerWasInTrouble: world.history.troubles.some(({ what }) => what === "ledger"),
		wasInTrouble: world.history.troubles.length > 0,
		damage: [],
		troubles,
	};
}

/** A call whose run was admitted is answered by the ending of that run and by nothing else. */
function answeredTwice({ transcripts, runs }: Evidence): Violation[] {
	const calls = transcripts
		.flatMap(({ entries }) => entries)
		.flatMap(({ message }) => (message?.details as { failedCall?: string } | undefined)?.failedCall ?? []);
	return calls
		.filter((call) => runs.some(({ toolCall, mode }) => toolCall === call && mode === "foreground"))
		.map((call) => ({
			promise: "a call has one answer",
			because: `${call} was answered with an error, and its run went on`,
		}));
}
