import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export { wholeAnswerFile } from "../ledger/session-files.ts";

export function keepWholeAnswer(file: string, answer: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const descriptor = openSync(file, "w", 0o600);
	writeSync(descriptor, answer);
	closeSync(descriptor);
}
