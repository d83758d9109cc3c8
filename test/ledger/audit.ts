import { appendFileSync, readFileSync } from "node:fs";
import type { RunId } from "../../src/run/ids.ts";

export interface AuditEntry {
	what: "claimed" | "ended" | "taken back";
	run: RunId;
	fence: number;
	/** Nanoseconds on the clock that all processes of a machine share. */
	at: number;
}

/** What one process says it did, in a file of its own: written at once, so that a kill loses nothing that was said. */
export class Audit {
	readonly #file: string;

	constructor(file: string) {
		this.#file = file;
		appendFileSync(file, "");
	}

	now(): number {
		return Number(process.hrtime.bigint());
	}

	write(entry: AuditEntry): void {
		appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
	}
}

export const readAudit = (file: string): AuditEntry[] =>
	readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as AuditEntry);

/**
 * The most runs that were running at one moment. A run is running from when its host says that it has it to before its
 * host ends it, or before somebody takes it back: never longer than it really was, so an excess is a real one.
 */
export function mostAtOnce(entries: AuditEntry[]): number {
	const over = new Map<string, number>();
	for (const { what, run, fence, at } of entries) {
		if (what !== "claimed") over.set(`${run} ${fence}`, Math.min(at, over.get(`${run} ${fence}`) ?? at));
	}
	const changes = entries.flatMap(({ what, run, fence, at }) => {
		const end = over.get(`${run} ${fence}`) ?? at;
		return what === "claimed" && end > at
			? [
					{ at, by: 1 },
					{ at: end, by: -1 },
				]
			: [];
	});
	changes.sort((a, b) => a.at - b.at || a.by - b.by);
	let most = 0;
	changes.reduce((atWork, { by }) => {
		most = Math.max(most, atWork + by);
		return atWork + by;
	}, 0);
	return most;
}
