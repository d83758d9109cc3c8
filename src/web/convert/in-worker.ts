import { Worker } from "node:worker_threads";
import { abortable, withTimeout } from "../abortable.ts";
import { WebError } from "../error.ts";
import type { ConvertAnswer, Converted, ConvertJob } from "./converted.ts";

const CONVERT_HEAP_MB = 512;

/** Buffers are not part of that heap: a PDF of one megabyte can unpack to thousands. */
const MOST_GROWTH = 768 * 1024 * 1024;
const MEMORY_EVERY_MS = 100;

export interface WorkerLimits {
	timeoutMs: number;
	signal: AbortSignal | undefined;
}

/**
 * Converts in a thread that ends with the document, so that a hostile document cannot take the time or memory of the process,
 * and leaves nothing behind for the next document.
 */
export async function convertInWorker(script: URL, job: ConvertJob, limits: WorkerLimits): Promise<Converted> {
	const { timeout, signal } = withTimeout(limits.timeoutMs, limits.signal);
	const memory = watchMemory();
	const worker = new Worker(script, {
		workerData: job,
		env: {},
		execArgv: [],
		// Libraries print warnings, which in pi's JSON mode would end up between the events.
		stdout: true,
		stderr: true,
		resourceLimits: { maxOldGenerationSizeMb: CONVERT_HEAP_MB },
	});
	try {
		const answer = await abortable(answerOf(worker), AbortSignal.any([signal, memory.signal]));
		if (answer.ok) return answer.converted;
		throw cannotConvert(answer.reason);
	} catch (error) {
		limits.signal?.throwIfAborted();
		if (timeout.aborted) throw new WebError("CONVERT_TIMEOUT", `Not converted within ${limits.timeoutMs} ms.`);
		throw error;
	} finally {
		memory.stop();
		await worker.terminate();
	}
}

function watchMemory(): { signal: AbortSignal; stop(): void } {
	const exceeded = new AbortController();
	const before = process.memoryUsage.rss();
	const timer = setInterval(() => {
		if (process.memoryUsage.rss() - before > MOST_GROWTH) exceeded.abort(cannotConvert("it takes too much memory"));
	}, MEMORY_EVERY_MS);
	return { signal: exceeded.signal, stop: () => clearInterval(timer) };
}

function answerOf(worker: Worker): Promise<ConvertAnswer> {
	return new Promise((resolve, reject) => {
		worker.once("message", resolve);
		worker.once("error", (error: Error & { code?: string }) => reject(cannotConvert(error.code ?? error.name)));
		worker.once("exit", () => reject(cannotConvert("the conversion ended early")));
	});
}

const cannotConvert = (reason: string): WebError =>
	new WebError("CONVERT_FAILED", `The document cannot be read: ${reason.replace(/\.$/, "")}.`);
