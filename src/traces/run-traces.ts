import { createRequire } from "node:module";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Redactor } from "../collect/redact/redactor.ts";
import { attemptsOf } from "../ledger/attempts.ts";
import { runTimeOf } from "../ledger/entries-of-run.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import type { RunId } from "../run/ids.ts";
import type { EndedTrace, TraceExporter } from "./exporter.ts";
import { tracesWanted } from "./wanted.ts";

/** The build replaces this name. */
declare const TRACES_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** Makes spans and sends them. Only processes that send or write spans load this separate file. */
export const traceExport = (): typeof import("./exporter.ts") =>
	require(typeof TRACES_FILE === "undefined" ? "./exporter.ts" : TRACES_FILE);

interface TracesSetup {
	log: Log;
	redactorFor(plan: RunRecord["plan"]): Redactor;
	env?: NodeJS.ProcessEnv;
}

/** Sends the spans of finished runs. No caller waits for it, and it never throws. */
export interface RunTraces {
	/** The outcome of this run was just written to the ledger. The ledger may be closed afterwards. */
	ended(runId: RunId, ledger: Ledger): void;
	/** Waits this long until everything is sent, then gives up on the rest. */
	finish(withinMs: number): Promise<void>;
}

/** Undefined if no collector is configured. Nothing is loaded then. */
export function runTraces({ log, redactorFor, env = process.env }: TracesSetup): RunTraces | undefined {
	if (!tracesWanted(env)) return undefined;
	let exporting: Promise<TraceExporter> | undefined;
	const exporter = () => {
		// In the next turn, so that callers that wait for the outcome get their answers first.
		exporting ??= nextTurn().then(() => new (traceExport().TraceExporter)({ log, env }));
		return exporting;
	};
	return {
		ended(runId, ledger) {
			try {
				const trace = endedTrace(runId, { ledger, redactorFor });
				if (!trace) return;
				void exporter().then(
					(ready) => ready.add(trace),
					(error) => log.error("traces are not sent", { runId, error }),
				);
			} catch (error) {
				log.error("traces are not sent", { runId, error });
			}
		},
		async finish(withinMs) {
			const ready = await exporting?.catch(() => undefined);
			if (!ready) return;
			const over = new AbortController();
			const tooLong = pause(withinMs, undefined, { signal: over.signal }).catch(() => {});
			await Promise.race([ready.idle(), tooLong]);
			over.abort();
			ready.abandon();
		},
	};
}

/** Everything that the ledger knows about a run. Undefined if it has not finished, or its row cannot be read. */
export function endedTrace(
	runId: RunId,
	{ ledger, redactorFor }: Pick<TracesSetup, "redactorFor"> & { ledger: Ledger },
): EndedTrace | undefined {
	const record = findRun(ledger, runId);
	if (record?.run.state !== "ended") return undefined;
	return {
		record: { ...record, run: record.run },
		attempts: attemptsOf(ledger, runId),
		time: runTimeOf(record, ledger),
		redactor: redactorFor(record.plan),
	};
}
