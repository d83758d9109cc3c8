import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../run/message-of.ts";
import type { CheckAnswer, CheckJob } from "./result-check.ts";
import { verdictOn } from "./result-verdict.ts";

/** Checks one result in a thread of its own, with access to the schema and the result only. */
function checkResult({ outputSchema, result }: CheckJob): CheckAnswer {
	try {
		return { wrong: verdictOn(outputSchema, result) };
	} catch (error) {
		return { failed: messageOf(error) };
	}
}

parentPort?.postMessage(checkResult(workerData as CheckJob));
