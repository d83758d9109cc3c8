import type { Redactor } from "./redactor.ts";

/** Tokens are renewed while a process lives, but a thousand runs that start together need not read the files a thousand times. */
const GOOD_FOR_MS = 1000;

/** Makes redactors anew, but not more often than once a second for the same principals. */
export function recentRedactor(
	make: (principalAuthFiles: string[]) => Redactor,
): (principalAuthFiles?: string[]) => Redactor {
	const made = new Map<string, { redactor: Redactor; at: number }>();
	return (principalAuthFiles = []) => {
		const key = principalAuthFiles.join("\n");
		const known = made.get(key);
		if (known && performance.now() - known.at < GOOD_FOR_MS) return known.redactor;
		const redactor = make(principalAuthFiles);
		made.set(key, { redactor, at: performance.now() });
		return redactor;
	};
}
