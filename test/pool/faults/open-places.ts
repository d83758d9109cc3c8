import type { DatabaseEvidence } from "./evidence.ts";
import type { FaultKind, LoggedPoolFault } from "./fault-kinds.ts";

type Span = readonly [from: number, to: number];

const KILLS: readonly FaultKind[] = ["worker killed", "porter killed"];
/** For a while it takes nothing. */
const STOPS: readonly FaultKind[] = ["worker suspended", "network silent", "disk full"];

/** Which workers could take a job, and when: those that serve, can be reached, and have a place. */
export class Places {
	readonly #changes: number[];
	readonly #workers: readonly { from: number; to: number; places: number; out: Span[]; held: Span[] }[];
	readonly #down: readonly Span[];

	constructor({ serving, claims, jobs }: DatabaseEvidence, faults: readonly LoggedPoolFault[]) {
		const meets = ({ pids }: LoggedPoolFault, worker: string) => pids.includes(pidOf(worker));
		this.#workers = serving.map(({ worker, at, places }) => ({
			from: at,
			to: faults.find((one) => one.at > at && KILLS.includes(one.kind) && meets(one, worker))?.at ?? Infinity,
			places,
			out: faults
				.filter((one) => one.until > at && STOPS.includes(one.kind) && meets(one, worker))
				.map((one) => [one.at, one.until]),
			held: claims
				.filter((claim) => claim.worker === worker)
				.map(({ job, attempt, at: since }) => {
					const isOver = (row: (typeof jobs)[number]) =>
						row.job === job && row.at > since && (row.state !== "active" || row.attempt !== attempt);
					return [since, jobs.find(isOver)?.at ?? Infinity];
				}),
		}));
		this.#down = faults.filter(({ kind }) => kind === "PostgreSQL killed").map(({ at, until }) => [at, until]);
		const spans = this.#workers.flatMap(({ from, to, out, held }) => [[from, to] as const, ...out, ...held]);
		this.#changes = [...new Set([...spans, ...this.#down].flat())].sort((a, b) => a - b);
	}

	/** For how long of this time some worker had a place. */
	openMs(from: number, to: number): number {
		const times = [from, ...this.#changes.filter((at) => at > from && at < to), to];
		return times.slice(1).reduce((sum, at, n) => {
			const since = times[n] ?? at;
			return this.#isOpen((since + at) / 2) ? sum + at - since : sum;
		}, 0);
	}

	#isOpen(at: number): boolean {
		if (this.#down.some(isAt(at))) return false;
		return this.#workers.some(
			({ from, to, places, out, held }) =>
				at > from && at < to && !out.some(isAt(at)) && held.filter(isAt(at)).length < places,
		);
	}
}

/** Whether a fault takes a worker away, even one that is just starting, or the database. */
export const takesAway = ({ kind, machine }: LoggedPoolFault): boolean =>
	kind === "PostgreSQL killed" || ([...KILLS, ...STOPS].includes(kind) && machine !== "home");

const pidOf = (worker: string): number => Number(worker.split(":")[1]);

const isAt =
	(at: number) =>
	([from, to]: Span): boolean =>
		at >= from && at < to;
