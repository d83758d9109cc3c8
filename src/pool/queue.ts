/** A job that a worker has, with the number of the attempt. */
export interface HeldJob {
	id: string;
	retryCount: number;
}

/** Another worker has the job, or the job has ended: this worker must write nothing about it. */
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
	/** How long it has been in this state, by the database's clock. */
	for_ms: number;
	progress: string | null;
}

/** Everything that goes to the database when a run is posted. */
export interface Posting {
	job: string;
	requester: string;
	priority: number;
	order: string;
	bundle: Buffer | undefined;
	/** The lines that its session already has. */
	lines: readonly string[];
}

export interface MessageToChild {
	seq: number;
	body: string;
	sender?: string | null | undefined;
}

/** Something for a child: a message, or a stop request. */
export interface Said extends MessageToChild {
	kind: "message" | "stop";
}

/** The database of a pool, as a courier uses it. Each method is one transaction. */
export interface CourierQueue {
	find(job: string): Promise<JobRow | undefined>;
	/** Posts all or nothing. A job that exists stays as it is. */
	post(posting: Posting): Promise<void>;
	say(job: string, message: MessageToChild): Promise<void>;
	/** Asks the worker to stop. Its report of how far it came is lost if the job is cancelled before it answers. */
	askToStop(job: string, by: string): Promise<void>;
	/** Without `underWorker`, cancels only a queued job: a worker may have claimed it since the last look. */
	cancel(job: string, how: { underWorker: boolean }): Promise<void>;
	/** The lines of the session from number `n` on, and the messages that all lines so far contain. */
	linesFrom(job: string, n: number): Promise<{ lines: string[]; taken: number[] }>;
	outcome(job: string): Promise<{ body: string; worker: string } | undefined>;
	order(job: string): Promise<string | undefined>;
	bundles(job: string): Promise<{ out: Buffer | undefined; home: Buffer | undefined }>;
	/** Removes all data of a job that has ended. */
	forget(job: string): Promise<void>;
}

/** The database's record of a job. */
export interface StoredJob {
	order: string | undefined;
	/** The session file so far. */
	lines: string[];
	progress: string | null;
	/** Since the first claim. */
	elapsedMs: number;
	/** The repository, as the requester sent it. */
	bundle: Buffer | undefined;
}

/** The child's new lines and its progress. */
export interface NewLines {
	/** The number of the first line. */
	from: number;
	lines: readonly string[];
	/** The messages that the lines contain. */
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

/** A job of a dead worker of this machine. */
export interface LeftJob {
	id: string;
	worker: string;
}

export interface WorkerSign {
	pool: string;
	worker: string;
	places: number;
	versions: { package: string; pi: string };
	held: readonly HeldJob[];
}

/**
 * The database of a pool, as a worker uses it. Each method is one transaction. Writes for a job fail with `ClaimLost` if
 * the job is no longer active, or belongs to another attempt.
 */
export interface PorterQueue {
	/** Renews the claims on the worker's jobs. Returns those that are still its own. */
	beat(sign: WorkerSign): Promise<{ isDraining: boolean; kept: ReadonlySet<string> }>;
	claim(claim: { pool: string; worker: string }): Promise<HeldJob | undefined>;
	stored(job: string): Promise<StoredJob>;
	/** Messages that no line contains yet. */
	said(job: string): Promise<Said[]>;
	write(job: HeldJob, news: NewLines): Promise<void>;
	/** Writes the outcome, the last lines, the changes and the end of the job: all or nothing. */
	complete(job: HeldJob, end: JobEnd): Promise<void>;
	/** Gives the job back, so that another worker continues immediately. */
	giveBack(job: HeldJob, why: string): Promise<void>;
	/** Gives back a job of a dead worker of this machine, unless another worker has it already. */
	giveBackLeft(job: LeftJob): Promise<void>;
	sayGoodbye(who: { pool: string; worker: string }): Promise<void>;
	/** Receives news of a job; undefined means that there may be a job to claim. */
	listen(onHint: (job: string | undefined) => void): void;
}
