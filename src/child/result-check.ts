import { Worker } from "node:worker_threads";
import { systemClock } from "../ports/clock.ts";
import { Turns } from "./turns.ts";

/** The schema's verdict on a result: valid, wrong in a way that its child can fix, or impossible to check. */
export type CheckedResult = { value?: unknown } | { wrong: string } | { uncheckable: string };

export interface CheckJob {
	outputSchema: Record<string, unknown>;
	result: string;
}

export type CheckAnswer = { wrong: string | undefined } | { failed: string };

/** Honest checks take milliseconds. The rest is for a machine that is too busy to start a thread. */
const LONGEST_CHECK_MS = 10_000;

/** The most that a child may write at all. */
const LONGEST_RESULT = 8 * 1024 * 1024;

/**
 * Far above what parsing the longest result takes. V8 ends a thread that reaches its limit while it runs JavaScript, and
 * the whole process if that happens inside JSON.parse.
 */
const CHECK_HEAP_MB = 1024;

/**
 * Runs a few threads at a time. One that takes long gives its turn to the next, so that no run waits for another's bad schema.
 */
const checkTurns = new Turns(4, 1000);

/**
 * Checks a finalized result against the agent's output schema, if it has one. It uses a thread with a deadline, so that the
 * host's other runs do not wait: one `pattern` in a schema can keep a regular expression busy practically forever.
 */
export function resultCheck(
	outputSchema: Record<string, unknown> | undefined,
	over: AbortSignal,
): (result: string) => Promise<CheckedResult> {
	if (!outputSchema) return async () => ({});
	return async (result) => {
		if (result.length > LONGEST_RESULT)
			return { wrong: "`result` is too long. Make it shorter and call the tool again." };
		const answer = await checkTurns.take(() => checkInThread({ outputSchema, result }, over));
		if ("failed" in answer) return { uncheckable: answer.failed };
		return answer.wrong === undefined ? { value: JSON.parse(result) } : { wrong: answer.wrong };
	};
}

async function checkInThread(job: CheckJob, over: AbortSignal): Promise<CheckAnswer> {
	if (over.aborted) return RUN_IS_OVER;
	const worker = new Worker(SCRIPT, {
		workerData: job,
		env: {},
		execArgv: [],
		stdout: true,
		stderr: true,
		resourceLimits: { maxOldGenerationSizeMb: CHECK_HEAP_MB },
	});
	const { promise, resolve } = Promise.withResolvers<CheckAnswer>();
	const giveUp = () => resolve(RUN_IS_OVER);
	const cancelDeadline = systemClock.after(LONGEST_CHECK_MS, () =>
		resolve({ failed: `the check did not finish within ${LONGEST_CHECK_MS / 1000} s` }),
	);
	over.addEventListener("abort", giveUp, { once: true });
	worker.once("message", resolve);
	worker.once("error", (error: Error & { code?: string }) =>
		resolve({ failed: `the check broke off (${error.code ?? error.message})` }),
	);
	worker.once("exit", () => resolve({ failed: "the check ended without an answer" }));
	try {
		return await promise;
	} finally {
		cancelDeadline();
		over.removeEventListener("abort", giveUp);
		// This also ends a regular expression in the middle of its work.
		await worker.terminate();
	}
}

const RUN_IS_OVER: CheckAnswer = { failed: "the run was ended meanwhile" };

/** Beside the bundled chunk, or beside this file when the sources run directly. */
const SCRIPT = new URL(
	import.meta.url.endsWith(".ts") ? "./result-check-worker.ts" : "./result-check.js",
	import.meta.url,
);
