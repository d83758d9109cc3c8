import { homedir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { principalDirs } from "../../config/principal-dirs.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/** A redactor that knows the secrets of this moment. */
export const redactorOf = (agentDir: string): Redactor => redactorWith(secretsOf(agentDir));

export const redactorWith = (secrets: Iterable<string>): Redactor => createRedactor({ secrets, homeDir: homedir() });

/** What pi keeps in this agent directory, and what the principals of the user keep in theirs, this one included. */
export function secretsOf(agentDir: string, principal?: string): string[] {
	// The user's file alone: a project may name neither keys nor principals.
	const { config } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
	const principals = new Set([...principalDirs(config), ...(principal === undefined ? [] : [principal])]);
	return knownSecrets({
		env: process.env,
		authFile: join(agentDir, "auth.json"),
		principalAuthFiles: [...principals].map((dir) => join(dir, "auth.json")),
		modelsFile: join(agentDir, "models.json"),
		settings: config.web,
	});
}
