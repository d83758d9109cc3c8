import type { Redactor } from "../collect/redact/redactor.ts";
import { entriesOfRun, type RunTime } from "../ledger/entries-of-run.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import type { Attempt } from "../run/attempt.ts";
import { redactedContent } from "./content.ts";
import { postSpans } from "./post.ts";
import { readEntries } from "./read-entries.ts";
import { otlpJson } from "./serialize.ts";
import { spansOfRun } from "./spans-of-run.ts";
import { capturesContent, traceResource, traceSettings } from "./trace-settings.ts";

/** How many runs are sent at the same time, and how many may wait, so that a collector that hangs does not fill the memory. */
const SENT_AT_ONCE = 4;
const MOST_WAITING = 200;
const SPANS_IN_REQUEST = 200;

/** A run to be sent, with all the data its spans need: the ledger may be closed by then. */
export interface EndedTrace {
	record: EndedRecord;
	attempts: readonly Attempt[];
	time: RunTime;
	redactor: Redactor;
}

/** Sends runs to the collector, a few at a time. Only logs the results. */
export class TraceExporter {
	readonly #log: Log;
	readonly #env: NodeJS.ProcessEnv;
	readonly #over = new AbortController();
	readonly #waiting: EndedTrace[] = [];
	readonly #sending = new Set<Promise<void>>();

	constructor({ log, env }: { log: Log; env: NodeJS.ProcessEnv }) {
		this.#log = log;
		this.#env = env;
	}

	add(trace: EndedTrace): void {
		if (this.#waiting.length >= MOST_WAITING) {
			this.#log.warn("traces are not sent", { runId: trace.record.run.id, why: "too many wait for the collector" });
			return;
		}
		this.#waiting.push(trace);
		this.#next();
	}

	/** The spans of a run as one request to a collector, for users who keep it or send it themselves. */
	async asText(trace: EndedTrace): Promise<string> {
		const body = otlpJson(await spansOfEnded(trace, this.#env), traceResource(this.#env));
		return `${new TextDecoder().decode(body)}\n`;
	}

	/** Resolves when all runs have been sent or have failed. */
	async idle(): Promise<void> {
		while (this.#sending.size > 0) await Promise.all(this.#sending);
	}

	/** Gives up what has not been sent yet. */
	abandon(): void {
		this.#waiting.length = 0;
		this.#over.abort();
	}

	#next(): void {
		while (this.#sending.size < SENT_AT_ONCE) {
			const trace = this.#waiting.shift();
			if (!trace) return;
			const sending = this.#send(trace).finally(() => {
				this.#sending.delete(sending);
				this.#next();
			});
			this.#sending.add(sending);
		}
	}

	async #send(trace: EndedTrace): Promise<void> {
		const runId = trace.record.run.id;
		try {
			const settings = traceSettings(this.#env);
			if ("problem" in settings) return this.#log.warn("traces are not sent", { runId, why: settings.problem });
			const spans = await spansOfEnded(trace, this.#env);
			const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(settings.timeoutMs)]);
			for (let from = 0; from < spans.length; from += SPANS_IN_REQUEST) {
				const body = otlpJson(spans.slice(from, from + SPANS_IN_REQUEST), traceResource(this.#env));
				const posted = await postSpans(body, settings, signal);
				if (posted !== "sent") return this.#log.warn("traces are not sent", { runId, why: posted.failed });
			}
			this.#log.info("traces sent", { runId, spans: spans.length });
		} catch (error) {
			this.#log.error("traces are not sent", { runId, error });
		}
	}
}

/** The spans of a run as this environment wants them. */
async function spansOfEnded({ record, attempts, time, redactor }: EndedTrace, env: NodeJS.ProcessEnv) {
	const entries = entriesOfRun(await readEntries(record.plan.session.file), time);
	const content = capturesContent(env) ? redactedContent(redactor) : undefined;
	return spansOfRun({ record, attempts, entries }, { redact: redactor.redact, content });
}
