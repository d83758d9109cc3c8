import type { Redactor } from "./redactor.ts";
import { redactorOf } from "./redactor-of.ts";

/** Secrets are read anew this often at most: a thousand runs that start together need not read the files a thousand times. */
const GOOD_FOR_MS = 1000;

const made = new Map<string, { redactor: Redactor; at: number }>();

/** A redactor that stays up to date for as long as it is kept: tokens are renewed, and come with /login. */
export function currentRedactor(agentDir: string, principal?: string): Redactor {
	const key = `${agentDir}\n${principal ?? ""}`;
	const current = (): Redactor => {
		const known = made.get(key);
		if (known && performance.now() - known.at < GOOD_FOR_MS) return known.redactor;
		const redactor = redactorOf(agentDir, principal);
		made.set(key, { redactor, at: performance.now() });
		return redactor;
	};
	return {
		redact: (text) => current().redact(text),
		redactValue: (value) => current().redactValue(value),
	};
}
