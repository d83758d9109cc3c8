/** A job that a worker has, and which of its attempts that is. */
export interface HeldJob {
	id: string;
	retryCount: number;
}

/** The job is another worker's now, or over: nothing of what we know of it counts. */
export class ClaimLost extends Error {
	override name = "ClaimLost";
	constructor({ id, retryCount }: HeldJob) {
		super(`Attempt ${retryCount} of job ${id} is not this worker's any more.`);
	}
}

/** A job as its requester sees it. */
export interface JobRow {
	state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
	attempt: number;
	worker: string | null;
	/** By the database's clock: how long it has been as it is. */
	for_ms: number;
	progress: string | null;
}

/** Everything of a run that goes to the database when it is posted. */
export interface Posting {
	job: string;
	requester: string;
	priority: number;
	order: string;
	bundle: Buffer | undefined;
	/** What its session holds already. */
	lines: readonly string[];
}

export interface MessageToChild {
	seq: number;
	body: string;
	sender?: string | null | undefined;
}

/** What is said to a child: a message, or that it is to stop. */
export interface Said extends MessageToChild {
	kind: "message" | "stop";
}

/** The database of a pool, as a courier uses it. Each of these is one transaction. */
export interface CourierQueue {
	find(job: string): Promise<JobRow | undefined>;
	/** All or nothing. A job that is there already stays as it is. */
	post(posting: Posting): Promise<void>;
	say(job: string, message: MessageToChild): Promise<void>;
	/** Tells the worker. Its own word on how far it came is lost if the job is cancelled before. */
	askToStop(job: string, by: string): Promise<void>;
	/** Unless `underWorker`, only a job that waits: a worker may have claimed it since it was looked at. */
	cancel(job: string, how: { underWorker: boolean }): Promise<void>;
	/** Lines of the session from this one on, and the messages that all lines so far hold. */
	linesFrom(job: string, n: number): Promise<{ lines: string[]; taken: number[] }>;
	outcome(job: string): Promise<{ body: string; worker: string } | undefined>;
	order(job: string): Promise<string | undefined>;
	bundles(job: string): Promise<{ out: Buffer | undefined; home: Buffer | undefined }>;
	/** Removes all that is kept of a job that is over. */
	forget(job: string): Promise<void>;
}

/** What the database has of a job. */
export interface StoredJob {
	order: string | undefined;
	/** The session file so far. */
	lines: string[];
	progress: string | null;
	/** Since the first claim. */
	elapsedMs: number;
	/** The repository as it travels. */
	bundle: Buffer | undefined;
}

/** What a child has written since the last time, and how far it is. */
export interface NewLines {
	/** The number of the first of them. */
	from: number;
	lines: readonly string[];
	/** The messages that they hold. */
	taken: readonly number[];
	progress: string;
}

export interface JobEnd {
	outcome: string;
	worker: string;
	last?: NewLines | undefined;
	/** Changes on their way home. */
	home?: Buffer | undefined;
}

export interface WorkerSign {
	pool: string;
	worker: string;
	places: number;
	versions: { package: string; pi: string };
	held: readonly HeldJob[];
}

/**
 * The database of a pool, as a worker uses it. Each of these is one transaction. What writes for a job fails with `ClaimLost`
 * if the job is not active any more, or is another attempt's.
 */
export interface PorterQueue {
	/** Says that it is there, and for which jobs. Answers which of them are still its own. */
	beat(sign: WorkerSign): Promise<{ isDraining: boolean; kept: ReadonlySet<string> }>;
	claim(claim: { pool: string; worker: string }): Promise<HeldJob | undefined>;
	stored(job: string): Promise<StoredJob>;
	/** What no line holds yet. */
	said(job: string): Promise<Said[]>;
	write(job: HeldJob, news: NewLines): Promise<void>;
	/** The outcome, the last lines, the changes and the end of the job: all or nothing. */
	complete(job: HeldJob, end: JobEnd): Promise<void>;
	/** Gives it back: another worker continues at once. */
	giveBack(job: HeldJob, why: string): Promise<void>;
	sayGoodbye(who: { pool: string; worker: string }): Promise<void>;
	/** Hears of news of a job; without one, that there may be a job to claim. */
	listen(onHint: (job: string | undefined) => void): void;
}
