import type { Ledger } from "../ledger/ledger.ts";
import { openQuestionsOf } from "../ledger/open-questions.ts";
import { endQuestion, findQuestion, type QuestionRecord, returnQuestions, takeQuestions } from "../ledger/questions.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { QuestionEnd } from "../run/question.ts";
import type { ShowQuestion } from "./ask.ts";
import { decideQuestions } from "./decide-questions.ts";
import { ProcessClaims } from "./process-claims.ts";
import type { Supervisor } from "./supervisor.ts";

export interface QuestionDialogsSetup {
	ledger: Ledger;
	supervisor: Pick<Supervisor, "hint" | "wake">;
	ports: Ports;
	log: Log;
	/** The session that pi has open. */
	session: string;
	show: ShowQuestion;
}

/** A question that the user sees, or has seen and whose end is not recorded yet. */
interface ShownQuestion {
	close: AbortController;
	end?: QuestionEnd;
}

/**
 * The questions of a session's children that the user of this process sees. An answer is kept until it is in the ledger,
 * which may be locked, or its disk full, for a while.
 */
export class QuestionDialogs {
	readonly #setup: QuestionDialogsSetup;
	readonly #claims: ProcessClaims<number>;
	readonly #shown = new Map<number, ShownQuestion>();
	/** Questions that could not be shown here. Another process may show them. */
	readonly #failed = new Set<number>();

	constructor(setup: QuestionDialogsSetup) {
		this.#setup = setup;
		this.#claims = new ProcessClaims(setup.ports, { take: takeQuestions, giveBack: returnQuestions });
	}

	look(): void {
		const { ledger, session } = this.#setup;
		this.#write();
		const open = openQuestionsOf(ledger, session).filter((seq) => !this.#failed.has(seq));
		const kept = this.#claims.keep(
			ledger,
			open.filter((seq) => this.#shown.has(seq)),
		);
		const taken = this.#claims.take(
			ledger,
			open.filter((seq) => !this.#shown.has(seq)),
		);
		const seen = open.map((seq) => ({ seq, isOurs: kept.has(seq) || taken.has(seq) }));
		for (const action of decideQuestions(new Set(this.#shown.keys()), seen)) {
			if (action.do === "show") this.#show(action.seq);
			else this.#close(action.seq);
		}
	}

	/** This process leaves the session: its questions stay open for the next process that opens it. */
	leave(): void {
		const { ledger, session } = this.#setup;
		for (const seq of [...this.#shown.keys()]) if (!this.#shown.get(seq)?.end) this.#close(seq);
		try {
			this.#write();
		} finally {
			if (this.#claims.size > 0) this.#claims.giveBack(ledger, session);
		}
	}

	#write(): void {
		const { ledger, ports, supervisor, log } = this.#setup;
		for (const [seq, { end }] of this.#shown) {
			if (!end) continue;
			const counts = endQuestion(ledger, seq, { end, at: ports.clock.now() });
			this.#shown.delete(seq);
			log.info("question put to the user", { question: seq, counts, answered: end.answered });
			if (counts) supervisor.wake();
		}
	}

	#show(seq: number): void {
		const record = findQuestion(this.#setup.ledger, seq);
		if (!record || record.end) return;
		const shown: ShownQuestion = { close: new AbortController() };
		this.#shown.set(seq, shown);
		void this.#put(record, shown);
	}

	async #put(record: QuestionRecord, shown: ShownQuestion): Promise<void> {
		const { show, supervisor, log } = this.#setup;
		const { signal } = shown.close;
		try {
			const end = await show(record, signal);
			if (signal.aborted) return;
			shown.end = end;
		} catch (error) {
			if (signal.aborted) return;
			// A dialog may fail to open in a session that was just left. It then has no user to answer it.
			log.warn("a question could not be shown", { question: record.seq, error });
			this.#failed.add(record.seq);
			this.#shown.delete(record.seq);
		}
		supervisor.hint();
	}

	#close(seq: number): void {
		this.#shown.get(seq)?.close.abort();
		this.#shown.delete(seq);
	}
}
