import type { Redactor } from "./redactor.ts";
import { redactorWith, secretsOf } from "./redactor-of.ts";

/** Secrets are read anew this often at most: a thousand runs that start together need not read the files a thousand times. */
const GOOD_FOR_MS = 1000;

interface Known {
	/** All that ever were: one that was replaced may still be good, and a file that is just being written holds none. */
	secrets: Set<string>;
	redactor: Redactor;
	readAt: number;
}

const known = new Map<string, Known>();

/** A redactor that stays up to date for as long as it is kept: tokens are renewed, and come with /login. */
export function currentRedactor(agentDir: string, principal?: string): Redactor {
	const key = `${agentDir}\n${principal ?? ""}`;
	const current = (): Redactor => {
		const before = known.get(key);
		if (before && performance.now() - before.readAt < GOOD_FOR_MS) return before.redactor;
		const secrets = new Set([...(before?.secrets ?? []), ...secretsOf(agentDir, principal)]);
		const isSame = before?.secrets.size === secrets.size;
		const redactor = before && isSame ? before.redactor : redactorWith(secrets);
		known.set(key, { secrets, redactor, readAt: performance.now() });
		return redactor;
	};
	return {
		redact: (text) => current().redact(text),
		redactValue: (value) => current().redactValue(value),
	};
}
