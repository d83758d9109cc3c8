import type { EndedQuestion, RunQuestions } from "../child/ask.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
	askQuestion,
	declineUnseen,
	findQuestion,
	type QuestionRecord,
	questionTaken,
	untakenQuestion,
} from "../ledger/questions.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import { HEARTBEAT_MS } from "../processes/lease.ts";
import type { RunId } from "../run/ids.ts";
import { type ChildQuestion, isSameQuestion, type QuestionEnd } from "../run/question.ts";
import { decideQuestion, type Presence, SHOWN_WITHIN_MS } from "./decide-question.ts";

/** Between two looks of a host that is awake. */
const LONGEST_GAP_MS = 2 * HEARTBEAT_MS;

export interface QuestionsSetup {
	ledger: Ledger;
	log: Log;
	ports: Ports;
}

/** What questions need from the rest of the host. */
export interface HostForQuestions {
	presence(runId: RunId): Presence;
	/** Tells the watchers of the run to look for its question. */
	tell(runId: RunId): void;
	/** The host should look again. */
	hint(): void;
	orLog(what: string, runId: RunId, write: () => unknown): void;
}

/** The run that asks. */
export interface AskingRun {
	id: RunId;
	fence: number;
	/** How long a question stays open without a parent. */
	askMs: number;
}

interface WaitingQuestion {
	run: AskingRun;
	question: ChildQuestion;
	/**
	 * Questions of this attempt whose end the child has received. They are not asked again, even if the ledger does not say
	 * so yet.
	 */
	given: Set<number>;
	seq?: number;
	presence: Presence;
	/**
	 * How long this host has watched the question, and how long the claim on showing it has not changed. Time in which
	 * the host did not look does not count: the machine may have been asleep.
	 */
	askedForMs: number;
	quietForMs: number;
	lookedAt: number;
	/** Which process showed it, and until when, at the last look. */
	claim?: string;
	end(end: EndedQuestion): void;
}

/**
 * The questions of this host's children. Each is a row of the ledger: parents show it and write the answer there, and the
 * host finds it at its next look.
 */
export class Questions {
	readonly #setup: QuestionsSetup;
	readonly #host: HostForQuestions;
	readonly #waiting = new Set<WaitingQuestion>();

	constructor(setup: QuestionsSetup, host: HostForQuestions) {
		this.#setup = setup;
		this.#host = host;
	}

	of(run: AskingRun): RunQuestions {
		const { ledger, ports } = this.#setup;
		const given = new Set<number>();
		return {
			ask: (question, signal) => this.#ask({ run, question, given }, signal),
			untaken: () => {
				let found: QuestionRecord | undefined;
				this.#host.orLog("question", run.id, () => {
					found = untakenQuestion(ledger, run.id);
				});
				return found;
			},
			taken: (seq) =>
				this.#host.orLog("question", run.id, () =>
					questionTaken(ledger, seq, { fence: run.fence, at: ports.clock.now() }),
				),
		};
	}

	/** Checks whether open questions have ended. */
	look(): void {
		for (const waiting of this.#waiting) this.#host.orLog("question", waiting.run.id, () => this.#lookAt(waiting));
	}

	async #ask(asked: Pick<WaitingQuestion, "run" | "question" | "given">, signal: AbortSignal): Promise<EndedQuestion> {
		if (signal.aborted) return WITHDRAWN;
		const { clock } = this.#setup.ports;
		const { promise, resolve } = Promise.withResolvers<EndedQuestion>();
		const times = { askedForMs: 0, quietForMs: 0, lookedAt: clock.elapsed() };
		const waiting: WaitingQuestion = { ...asked, presence: "unknown", ...times, end: resolve };
		this.#waiting.add(waiting);
		// The row is closed when the run ends, or stays for the host that continues the run.
		const withdraw = () => resolve(WITHDRAWN);
		signal.addEventListener("abort", withdraw, { once: true });
		const cancel = clock.after(SHOWN_WITHIN_MS, this.#host.hint);
		this.#host.hint();
		try {
			const end = await promise;
			if (end.seq !== undefined) asked.given.add(end.seq);
			return end;
		} finally {
			cancel();
			signal.removeEventListener("abort", withdraw);
			this.#waiting.delete(waiting);
		}
	}

	#lookAt(waiting: WaitingQuestion): void {
		const { ledger, ports } = this.#setup;
		waiting.seq ??= this.#put(waiting);
		const record = waiting.seq === undefined ? undefined : findQuestion(ledger, waiting.seq);
		if (!record) return;
		const end = record.end ?? this.#endedBy(this.#decide(waiting, record));
		if (!end) return;
		const { fence } = waiting.run;
		// If it cannot be declined, a parent has begun to show it: the next look sees that.
		const counts = record.end || declineUnseen(ledger, record, { end, fence, at: ports.clock.now() });
		if (counts) this.#end(waiting, record, end);
	}

	#endedBy(decided: ReturnType<typeof decideQuestion>): QuestionEnd | undefined {
		return decided === "wait" ? undefined : { answered: false, declined: decided };
	}

	/** The question's row: that of an earlier attempt, or a new one. Undefined if the run may no longer ask. */
	#put(waiting: WaitingQuestion): number | undefined {
		const { ledger, log, ports } = this.#setup;
		const { run, question, given } = waiting;
		const last = untakenQuestion(ledger, run.id);
		const earlier = last && !given.has(last.seq) ? last : undefined;
		if (earlier && (earlier.end?.answered || isSameQuestion(earlier.question, question))) {
			const alone = ports.clock.now() - (earlier.shower?.until ?? earlier.createdAt);
			waiting.quietForMs = Math.max(0, alone);
			this.#host.tell(run.id);
			return earlier.seq;
		}
		const at = ports.clock.now();
		const seq = askQuestion(ledger, run.id, { question, replaces: earlier?.seq, fence: run.fence, at });
		// The run was given to another host, or has a stop request: either ends the child.
		if (seq === undefined) return undefined;
		log.info("asks the user", { runId: run.id, question: seq });
		this.#host.tell(run.id);
		return seq;
	}

	#decide(waiting: WaitingQuestion, { shower }: QuestionRecord): ReturnType<typeof decideQuestion> {
		const now = this.#setup.ports.clock.elapsed();
		const watchedMs = Math.min(now - waiting.lookedAt, LONGEST_GAP_MS);
		waiting.lookedAt = now;
		waiting.askedForMs += watchedMs;
		waiting.quietForMs += watchedMs;
		const claim = shower ? `${shower.name ?? ""} ${shower.until}` : "";
		if (waiting.claim !== undefined && waiting.claim !== claim) waiting.quietForMs = 0;
		waiting.claim = claim;
		if (waiting.presence !== "user") waiting.presence = this.#host.presence(waiting.run.id);
		return decideQuestion(
			{
				isShown: shower?.name !== undefined,
				wasShown: shower !== undefined,
				presence: waiting.presence,
				askedForMs: waiting.askedForMs,
				quietForMs: waiting.quietForMs,
			},
			waiting.run,
		);
	}

	#end(waiting: WaitingQuestion, { seq, question }: QuestionRecord, end: QuestionEnd): void {
		const isEarlier = !isSameQuestion(question, waiting.question);
		this.#setup.log.info("question ended", { runId: waiting.run.id, question: seq, ...withoutWords(end) });
		waiting.end({ ...end, seq, ...(isEarlier && { earlier: question }) });
	}
}

const WITHDRAWN: EndedQuestion = { answered: false, declined: "ended" };

const withoutWords = (end: QuestionEnd) => (end.answered ? { answered: true } : { declined: end.declined });
