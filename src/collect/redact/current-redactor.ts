import { homesOf } from "./home-paths.ts";
import type { Redactor } from "./redactor.ts";
import { redactorWith, secretsOf, secretsVersion, workingDirectory } from "./redactor-of.ts";

/** How often, at most, to check whether the files that hold secrets have changed. */
const SECRETS_EVERY_MS = 1000;

interface KnownSecrets {
	/** All secrets so far: a replaced one may still be valid, and a file that is just being written holds none. */
	secrets: Set<string>;
	redactor: Redactor;
	files: string[];
	version: string;
	lookedAt: number;
}

const secretsByDir = new Map<string, KnownSecrets>();

export interface Whose {
	/** The agent directory of a principal that has its own. */
	principal?: string | undefined;
	/** Where a run works, if that is not where the process does. */
	cwd?: string;
}

/** A redactor that stays up to date for as long as it is kept: tokens are renewed, and come with /login. */
export function currentRedactor(agentDir: string, { principal, cwd }: Whose = {}): Redactor {
	// By the homes of the folders and not by the folders: a host works in very many of them.
	const homes = homesOf([agentDir, ...workingDirectory(), ...(cwd === undefined ? [] : [cwd])]);
	const key = [agentDir, principal ?? "", ...homes].join("\n");
	const current = (): Redactor => {
		const before = secretsByDir.get(key);
		const lookedAt = performance.now();
		if (before && lookedAt - before.lookedAt < SECRETS_EVERY_MS) return before.redactor;
		if (before && before.version === secretsVersion(before.files)) {
			before.lookedAt = lookedAt;
			return before.redactor;
		}
		const { secrets: found, files, version } = secretsOf(agentDir, principal);
		const secrets = new Set([...(before?.secrets ?? []), ...found]);
		const redactor = redactorWith(secrets, homes);
		secretsByDir.set(key, { secrets, redactor, files, version, lookedAt });
		return redactor;
	};
	return {
		redact: (text) => current().redact(text),
		redactValue: (value) => current().redactValue(value),
		redactInSlices: (value) => current().redactInSlices(value),
	};
}
