import { readFileSync } from "node:fs";
import { environmentSecrets, isLiteralSecret } from "./credential-env.ts";

type Environment = Record<string, string | undefined>;

/** Names of headers that carry a credential. Others, such as User-Agent, hold words that must stay readable. */
const SECRET_HEADER = /auth|key|token|secret|cookie|credential|password/i;

/**
 * The literal secrets that a child may see: in the environment, in pi's credential store and in its models file. A missing
 * or broken file holds none.
 */
export function knownSecrets(sources: SecretSources): string[] {
	const { env, authFile, modelsFile, principalAuthFiles = [], settings } = sources;
	return [
		...new Set([
			...environmentSecrets(env),
			...[authFile, ...principalAuthFiles].flatMap((file) => storedCredentials(readJson(file), env)),
			...modelSecrets(readJson(modelsFile), env),
			...modelSecrets(settings, env),
		]),
	];
}

export interface SecretSources {
	env: Environment;
	authFile?: string;
	/** The files of principals that have their own credentials. */
	principalAuthFiles?: readonly string[];
	modelsFile?: string;
	/** Our own settings, which may hold keys of search providers. */
	settings?: unknown;
}

/** auth.json: one credential per provider, of type api_key or oauth. Every string in it but the type may be a secret. */
function storedCredentials(store: unknown, env: Environment): string[] {
	return pairsOf(store).flatMap(([, credential]) => {
		const own = Object.fromEntries(
			pairsOf(pairsOf(credential).find(([key]) => key === "env")?.[1]).filter(isStringEntry),
		);
		return pairsOf(credential)
			.filter(([key]) => key !== "type")
			.flatMap(([, value]) => strings(value))
			.flatMap((value) => resolved(value, { ...env, ...own }));
	});
}

/** models.json: `apiKey` and `headers` of providers, of their models and of their overrides. */
function modelSecrets(value: unknown, env: Environment): string[] {
	return pairsOf(value).flatMap(([key, part]) => {
		if (key === "apiKey" && typeof part === "string") return resolved(part, env);
		if (key !== "headers") return modelSecrets(part, env);
		return pairsOf(part)
			.filter(isStringEntry)
			.flatMap(([name, header]) => (SECRET_HEADER.test(name) ? resolved(header, env) : referenced(header, env)));
	});
}

/** A configured value as pi reads it: a literal, with `$NAME` and `${NAME}` filled in. `!command` is never run. */
function resolved(value: string, env: Environment): string[] {
	if (value.startsWith("!")) return [];
	const filled = value.replace(
		/\$(?:([$!])|(\w+)|\{(\w+)\})/g,
		(match, escaped?: string, name?: string, braced?: string) =>
			escaped === undefined ? (env[name ?? braced ?? ""] ?? match) : escaped,
	);
	const withoutScheme = filled.replace(/^[A-Za-z]+ +/, "");
	return [...[filled, withoutScheme].filter(isLiteralSecret), ...referenced(value, env)];
}

function referenced(value: string, env: Environment): string[] {
	return [...value.matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => env[name] ?? "").filter(isLiteralSecret);
}

function strings(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return pairsOf(value).flatMap(([, part]) => strings(part));
}

function pairsOf(value: unknown): [string, unknown][] {
	return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function isStringEntry(entry: [string, unknown]): entry is [string, string] {
	return typeof entry[1] === "string";
}

function readJson(file: string | undefined): unknown {
	if (file === undefined) return undefined;
	try {
		return JSON.parse(withoutComments(readFileSync(file, "utf8").replace(/^\uFEFF/, "")));
	} catch {
		// Redaction must work when the user's files do not: pi itself reports their problems.
		return undefined;
	}
}

/** models.json may have comments and trailing commas, as pi reads it. */
function withoutComments(json: string): string {
	return json
		.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ""))
		.replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part.startsWith('"') ? part : ""));
}
