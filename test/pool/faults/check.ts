import { STEERING } from "../../../src/ledger/inbox.ts";
import type { PoolEvidence, RunEvidence } from "./evidence.ts";
import { stepsOf, taskOf } from "./task.ts";

export interface PoolViolation {
	promise: string;
	because: string;
}

/** How long a worker has to say how it stopped (`STOPS_WITHIN_MS`), less what clocks of two processes may differ in rounding. */
const STOPS_WITHIN_MS = 4900;
/** After so many takeovers a run is given up, and says so (`TAKEOVERS`). */
const TAKEOVERS = 10;

/** Holds what happened against what a pool promises. */
export function checkPoolEvidence(evidence: PoolEvidence): PoolViolation[] {
	return CHECKS.flatMap(([promise, check]) => check(evidence).map((because) => ({ promise, because })));
}

type Check = (evidence: PoolEvidence) => string[];

const eachRun =
	(check: (run: RunEvidence, evidence: PoolEvidence) => (string | false | undefined)[]): Check =>
	(evidence) =>
		evidence.runs.flatMap((run) =>
			check(run, evidence).flatMap((problem) => (problem ? [`${run.id} ${problem}`] : [])),
		);

const CHECKS: readonly [promise: string, check: Check][] = [
	[
		"a run ends once",
		eachRun(({ state, ended }) => [
			state !== "ended" && `is ${state}`,
			state === "ended" && ended !== 1 && `ended ${ended} times`,
		]),
	],
	["a run is announced once", eachRun(({ announced }) => [announced !== 1 && `was announced ${announced} times`])],
	[
		"no run is lost",
		eachRun(({ outcome, job }, { database }) => {
			if (!outcome || outcome.status === "success" || outcome.cause === "stopped") return [];
			const takeovers = Math.max(0, ...database.jobs.filter((row) => row.job === job).map(({ attempt }) => attempt));
			if (outcome.cause === "lost" && takeovers >= TAKEOVERS) return [];
			return [`ended as ${outcome.cause} after ${takeovers} takeovers: ${outcome.error.message}`];
		}),
	],
	[
		"lines of a transcript come once and in order",
		eachRun(({ outcome, entries, task }) => {
			const { name, steps } = taskOf(task);
			const seen = stepsOf(entries, name);
			const isInOrder = seen.every((step, index) => step === index + 1);
			return [
				!isInOrder && `has the steps ${seen.join(",")}`,
				outcome?.status === "success" && seen.length !== steps && `succeeded with ${seen.length} of ${steps} steps`,
			];
		}),
	],
	[
		"an old attempt writes nothing after a newer one",
		({ database }) =>
			database.writes
				.filter(({ attempt, current }) => attempt >= 0 && attempt !== current)
				.map(({ job, what, attempt, current }) => `${what} of attempt ${attempt} of ${job} during attempt ${current}`),
	],
	[
		"a takeover continues from the last line",
		({ database, calls, runs }) => {
			const nameOf = new Map(runs.map(({ job, task }) => [job, taskOf(task).name]));
			return calls
				.filter(({ what }) => what === "begin")
				.flatMap(({ by, step, name, at }) => {
					const [, host, pid, job = ""] = by.split(":");
					const mine = database.claims.filter(
						(claim) => claim.job === job && claim.worker === `${host}:${pid}` && claim.at <= at,
					);
					if (mine.length === 0 || nameOf.get(job) !== name) return [];
					// The least that it can have found: all that was there at the first of its claims.
					const from = Math.min(...mine.map((claim) => claim.at));
					const isKnown = (row: (typeof database.writes)[number]) =>
						row.job === job && row.what === "step" && row.attempt >= 0 && row.at < from;
					const known = new Set(database.writes.filter(isKnown).map(({ n }) => n)).size;
					return step < known ? [`${name} began after step ${step}, though ${known} were there`] : [];
				});
		},
	],
	[
		"nothing stops without a request",
		eachRun(({ id, outcome }, { stopped }) => [
			outcome?.cause === "stopped" && !stopped.has(id) && "stopped, and nobody asked for it",
		]),
	],
	[
		"a stop waits for the worker's own word",
		({ database }) =>
			database.jobs.flatMap(({ job, state, at }, index) => {
				if (state !== "cancelled") return [];
				const before = database.jobs.slice(0, index).findLast((row) => row.job === job);
				if (before?.state !== "active") return [];
				const asked = database.stops.find((stop) => stop.job === job)?.at;
				return asked !== undefined && at - asked >= STOPS_WITHIN_MS ? [] : [`${job} was cancelled under its worker`];
			}),
	],
	[
		"a message arrives once",
		({ messages, runs }) =>
			messages.flatMap(({ body, runId }) => {
				const files = new Map(runs.map((run) => [JSON.stringify(run.entries[0] ?? run.id), run.entries]));
				const held = [...files.values()]
					.flat()
					.filter(({ customType, content }) => customType === STEERING && content === body).length;
				const followUps = runs.filter(({ task }) => !task.startsWith("{") && task.split("\n\n").includes(body)).length;
				const run = runs.find(({ id }) => id === runId);
				// What was stopped stays stopped: its outcome says which messages it did not get.
				if (run?.outcome?.cause === "stopped" && held + followUps === 0) return [];
				return held + followUps === 1
					? []
					: [`${body} to ${runId}: ${held} times in a transcript, ${followUps} follow-ups`];
			}),
	],
	["the lane is never wider than its limits", ({ database, laneLimit }) => widerThan(database.jobs, laneLimit)],
	[
		"changes come home once",
		eachRun(({ changes, outcome, task }) => [
			changes > 1 && `received its changes ${changes} times`,
			taskOf(task).changes &&
				outcome?.status === "success" &&
				changes !== 1 &&
				`succeeded, and its changes came ${changes} times`,
		]),
	],
	["nothing is left behind", ({ database, left }) => [...database.open.map((job) => `${job} is still open`), ...left]],
];

/** Times are taken before the commit on both ends, so a claim that saw an ending is always after it. */
function widerThan(jobs: PoolEvidence["database"]["jobs"], limit: number): string[] {
	const active = new Set<string>();
	const found: string[] = [];
	for (const { job, state } of [...jobs].sort((a, b) => a.at - b.at)) {
		if (state === "active") active.add(job);
		else active.delete(job);
		if (active.size > limit) found.push(`${active.size} at once, and ${limit} are allowed`);
	}
	return found;
}
