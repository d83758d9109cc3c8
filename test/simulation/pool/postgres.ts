import { HEARTBEAT_SECONDS } from "../../../src/pool/database.ts";
import {
	ClaimLost,
	type CourierQueue,
	type HeldJob,
	type JobRow,
	type NewLines,
	type PorterQueue,
	type Posting,
	type Said,
} from "../../../src/pool/queue.ts";
import type { DatabaseEvidence } from "../../pool/faults/evidence.ts";

interface Job extends Posting {
	state: JobRow["state"];
	attempt: number;
	hasStarted: boolean;
	seq: number;
	heartbeatAt: number;
	worker: string | null;
	changedAt: number;
	firstClaimedAt: number;
	progress: string | null;
	written: { attempt: number; body: string }[];
	messages: (Said & { taken: boolean })[];
	outcome: { body: string; worker: string } | undefined;
}

/** As `TAKEOVERS` of src/pool/database.ts. */
const RETRIES = 10;

/**
 * Stands in for PostgreSQL with pg-boss: what src/pool/*'s queues say of them, in memory. Each operation happens as a whole, in
 * one event. test/pool/queue.test.ts has the real one pass the same tests.
 */
export class SimPostgres {
	readonly #now: () => number;
	readonly #laneLimit: number;
	readonly #jobs = new Map<string, Job>();
	readonly log: DatabaseEvidence = { jobs: [], writes: [], claims: [], stops: [], serving: [], open: [] };
	/** A worker listens for these; so does a courier. */
	onHint: (to: "workers" | "requesters", job: string) => void = () => {};

	constructor(now: () => number, laneLimit: number) {
		this.#now = now;
		this.#laneLimit = laneLimit;
	}

	get open(): string[] {
		return [...this.#jobs.values()].filter(isOpen).map(({ job }) => job);
	}

	/** Who works on which jobs, as the database has it. */
	get active(): { job: string; worker: string }[] {
		return [...this.#jobs.values()].flatMap(({ state, job, worker }) =>
			state === "active" && worker !== null ? [{ job, worker }] : [],
		);
	}

	/** What any process with pg-boss does every other second. */
	supervise(): void {
		for (const job of this.#jobs.values()) {
			if (job.state !== "active" || this.#now() - job.heartbeatAt <= HEARTBEAT_SECONDS * 1000) continue;
			this.#become(job, job.attempt < RETRIES ? "retry" : "failed");
		}
	}

	readonly courier: { [Key in keyof CourierQueue]: (...args: Parameters<CourierQueue[Key]>) => unknown } = {
		find: (id) => {
			const job = this.#jobs.get(id);
			if (!job) return undefined;
			const { state, attempt, worker, progress, changedAt } = job;
			return { state, attempt, worker, progress, for_ms: this.#now() - changedAt };
		},
		post: (posting) => {
			if (this.#jobs.has(posting.job)) return;
			const job: Job = {
				...posting,
				...{ state: "created", attempt: 0, hasStarted: false, seq: this.#jobs.size, heartbeatAt: 0, worker: null },
				...{ changedAt: this.#now(), firstClaimedAt: 0, progress: null, messages: [], outcome: undefined },
				written: posting.lines.map((body) => ({ attempt: -1, body })),
			};
			this.#jobs.set(posting.job, job);
			this.#become(job, "created");
			this.onHint("workers", "");
		},
		say: (id, message) => this.#say(id, { ...message, kind: "message" }),
		askToStop: (id, by) => {
			this.log.stops.push({ at: this.#now(), job: id });
			this.#say(id, { kind: "stop", seq: 0, body: by });
		},
		cancel: (id, { underWorker }) => {
			const job = this.#jobs.get(id);
			if (job && isOpen(job) && (underWorker || job.state !== "active")) this.#become(job, "cancelled");
			this.onHint("workers", id);
		},
		linesFrom: (id, n) => ({
			lines: (this.#jobs.get(id)?.written ?? []).slice(n).map(({ body }) => body),
			taken: (this.#jobs.get(id)?.messages ?? []).flatMap(({ kind, seq, taken }) =>
				kind === "message" && taken ? [seq] : [],
			),
		}),
		outcome: (id) => this.#jobs.get(id)?.outcome,
		order: (id) => this.#jobs.get(id)?.order,
		bundles: () => ({ out: undefined, home: undefined }),
		forget: (id) => {
			const job = this.#jobs.get(id);
			if (job && !isOpen(job)) this.#jobs.delete(id);
		},
	};

	readonly porter: {
		[Key in Exclude<keyof PorterQueue, "listen">]: (...args: Parameters<PorterQueue[Key]>) => unknown;
	} = {
		beat: ({ held }) => {
			const ours = held.flatMap((job) => this.#held(job) ?? []);
			for (const job of ours) job.heartbeatAt = this.#now();
			return { isDraining: false, kept: new Set(ours.map(({ job }) => job)) };
		},
		claim: ({ worker }) => {
			const all = [...this.#jobs.values()];
			const running = all.filter(({ state }) => state === "active");
			if (running.length >= this.#laneLimit) return undefined;
			const [job] = all
				.filter(({ state }) => state === "created" || state === "retry")
				.sort(
					(a, b) =>
						Number(b.state === "retry") - Number(a.state === "retry") || b.priority - a.priority || a.seq - b.seq,
				);
			if (!job) return undefined;
			if (job.hasStarted) job.attempt++;
			else job.firstClaimedAt = this.#now();
			job.hasStarted = true;
			job.heartbeatAt = this.#now();
			job.worker = worker;
			this.#become(job, "active");
			this.log.claims.push({ at: this.#now(), job: job.job, worker, attempt: job.attempt });
			return { id: job.job, retryCount: job.attempt };
		},
		stored: (id) => {
			const job = this.#jobs.get(id);
			return {
				order: job?.order,
				lines: (job?.written ?? []).map(({ body }) => body),
				progress: job?.progress ?? null,
				elapsedMs: this.#now() - (job?.firstClaimedAt ?? 0),
				bundle: undefined,
			};
		},
		said: (id) => (this.#jobs.get(id)?.messages ?? []).filter(({ taken }) => !taken).toSorted((a, b) => a.seq - b.seq),
		write: (held, news) => {
			this.#write(this.#mine(held), held, news);
			this.onHint("requesters", held.id);
		},
		complete: (held, { outcome, worker, last }) => {
			const job = this.#mine(held);
			if (last) this.#write(job, held, last);
			job.outcome = { body: outcome, worker };
			this.#wrote(job, held, "outcome", 0);
			this.#become(job, "completed");
			this.onHint("requesters", held.id);
		},
		giveBack: (held) => {
			const job = this.#held(held);
			if (!job) return;
			this.#become(job, job.attempt < RETRIES ? "retry" : "failed");
			this.onHint("workers", "");
		},
		giveBackLeft: ({ id, worker }) => {
			const job = this.#jobs.get(id);
			if (job?.worker === worker) this.porter.giveBack({ id, retryCount: job.attempt }, "Its worker died.");
		},
		sayGoodbye: () => {},
	};

	#say(id: string, said: Said): void {
		const messages = this.#jobs.get(id)?.messages;
		if (messages?.every(({ kind, seq }) => kind !== said.kind || seq !== said.seq))
			messages.push({ ...said, taken: false });
		this.onHint("workers", id);
	}

	#held({ id, retryCount }: HeldJob): Job | undefined {
		const job = this.#jobs.get(id);
		return job?.state === "active" && job.attempt === retryCount ? job : undefined;
	}

	#mine(held: HeldJob): Job {
		const job = this.#held(held);
		if (!job) throw new ClaimLost(held);
		return job;
	}

	#write(job: Job, held: HeldJob, { from, lines, taken, progress }: NewLines): void {
		const attempt = held.retryCount;
		if (job.written.length < from) throw new Error(`Lines of job ${held.id} are missing before ${from}.`);
		if (job.written.slice(from, from + lines.length).some((line) => line.attempt !== attempt))
			throw new Error(`Lines of job ${held.id} from ${from} on are another attempt's.`);
		for (const [index, body] of lines.entries()) {
			job.written[from + index] = { attempt, body };
			this.#wrote(job, held, body.includes(" step ") ? "step" : "line", from + index);
		}
		for (const message of job.messages) if (message.kind === "message") message.taken ||= taken.includes(message.seq);
		job.progress = progress;
	}

	#wrote({ job, attempt: current }: Job, { retryCount: attempt }: HeldJob, what: string, n: number): void {
		this.log.writes.push({ at: this.#now(), job, what, n, attempt, current });
	}

	#become(job: Job, state: Job["state"]): void {
		job.state = state;
		job.changedAt = this.#now();
		this.log.jobs.push({ at: this.#now(), job: job.job, state, attempt: job.attempt });
	}
}

const isOpen = ({ state }: Pick<Job, "state">): boolean => ["created", "retry", "active"].includes(state);
