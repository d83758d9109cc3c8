import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileVersion } from "../../config/file-version.ts";
import { loadConfig } from "../../config/load.ts";
import { principalDirs } from "../../config/principal-dirs.ts";
import { knownSecrets } from "./known-secrets.ts";
import type { Redactor } from "./redactor.ts";

/** The build replaces this name. */
declare const REDACTOR_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** All the patterns, loaded for the first text: most starts of pi neither show nor record anything of a child. */
const patterns = (): typeof import("./redactor.ts") =>
	require(typeof REDACTOR_FILE === "undefined" ? "./redactor.ts" : REDACTOR_FILE);

/** A redactor that knows the secrets of this moment. */
export const redactorOf = (agentDir: string): Redactor =>
	redactorWith(secretsOf(agentDir).secrets, [agentDir, ...workingDirectory()]);

export const redactorWith = (secrets: Iterable<string>, ownFolders: Iterable<string>): Redactor =>
	patterns().createRedactor({ secrets, homeDir: homedir(), ownFolders });

export interface Secrets {
	secrets: string[];
	/** The files that were searched, whether they exist or not. */
	files: string[];
	/** The version of the files, before they were read. */
	version: string;
}

/**
 * The secrets that pi keeps in this agent directory, and those that the user's principals, this one included, keep in
 * theirs.
 */
export function secretsOf(agentDir: string, principal?: string): Secrets {
	const [userFile, authFile, modelsFile] = [
		join(agentDir, "pi-geon.json"),
		join(agentDir, "auth.json"),
		join(agentDir, "models.json"),
	];
	const userVersion = fileVersion(userFile);
	// Only the user's file: a project may name neither keys nor principals.
	const { config } = loadConfig({ userFile });
	const principals = new Set([...principalDirs(config), ...(principal === undefined ? [] : [principal])]);
	const principalAuthFiles = [...principals].map((dir) => join(dir, "auth.json"));
	const others = [authFile, modelsFile, ...principalAuthFiles];
	const version = `${userVersion}\n${secretsVersion(others)}`;
	const secrets = knownSecrets({ env: process.env, authFile, principalAuthFiles, modelsFile, settings: config.web });
	return { secrets, files: [userFile, ...others], version };
}

/** Changes whenever one of the files does. */
export const secretsVersion = (files: string[]): string => files.map(fileVersion).join("\n");

/** Empty if the directory was removed. */
export function workingDirectory(): string[] {
	try {
		return [process.cwd()];
	} catch {
		return [];
	}
}
