import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../files/write-whole.ts";
import type { Places } from "../ledger/places.ts";
import { ANSWERS_FD, encodeFiles, PROVIDERS_COMMAND, type ProvidersOf } from "../processes/providers-protocol.ts";
import { isRecord } from "../run/is-record.ts";
import { withCompileCache } from "./compile-cache.ts";
import type { HostProfile } from "./profile.ts";
import { quietArguments } from "./start-host.ts";

const PROVIDERS_WITHIN_MS = 40_000;

export type ProviderFiles = { kind: "found"; files: string[] } | { kind: "not_found"; why: string };

interface ProviderQuestion {
	provider: string;
	/** The extensions that pi loads here, in its order. Those of a project only if it is trusted. */
	candidates: readonly string[];
	profile: HostProfile;
	places: Places;
	/** Asks pi again, even if an earlier answer is known. */
	fresh?: boolean;
}

/**
 * Which extensions register a provider. pi does not say, so a separate pi process loads them without a session and checks.
 * The answer is remembered by the content of the file, but only if the provider was found: a file may import others.
 */
export async function filesOfProvider({
	provider,
	candidates,
	profile,
	places,
	fresh = false,
}: ProviderQuestion): Promise<ProviderFiles> {
	const memory = memoryIn(places);
	if (!fresh) {
		const known = candidates.map((file) => ({ file, providers: memory.read(file) }));
		const files = known.filter(({ providers }) => providers?.includes(provider)).map(({ file }) => file);
		// A file that was never examined may register the provider too.
		if (files.length > 0 && known.every(({ providers }) => providers !== undefined)) return { kind: "found", files };
	}
	if (candidates.length === 0) return { kind: "not_found", why: "pi loads no extension from a file here" };
	const answers = await askProcess(candidates, profile, places);
	const files: string[] = [];
	const problems: string[] = [];
	for (const file of candidates) {
		const answer = answers.get(file);
		if (answer === undefined) continue;
		if ("providers" in answer) {
			memory.write(file, answer.providers);
			if (answer.providers.includes(provider)) files.push(file);
		} else problems.push("error" in answer ? `${file}: ${answer.error}` : `${file} did not finish loading`);
	}
	if (files.length > 0) {
		// Files that do not load by themselves cannot be used, and must not cost a process for every run.
		const isFile = (file: string) => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
		for (const file of candidates.filter((one) => !isAnswered(answers.get(one)) && isFile(one))) memory.write(file, []);
		return { kind: "found", files };
	}
	const why =
		problems.length > 0
			? `an extension could not be loaded outside of this session: ${problems.join("; ")}`
			: `none of the extensions registers ${provider} while it is loaded: ${candidates.join(", ")}`;
	return { kind: "not_found", why };
}

const isAnswered = (answer: ProvidersOf | undefined): boolean => answer !== undefined && "providers" in answer;

async function askProcess(
	files: readonly string[],
	profile: HostProfile,
	places: Places,
): Promise<Map<string, ProvidersOf>> {
	const [executable = "", ...script] = profile.command;
	mkdirSync(places.dir, { recursive: true, mode: 0o700 });
	const child = spawn(
		executable,
		[...script, ...quietArguments(profile.hostEntry), "-p", `/${PROVIDERS_COMMAND} ${encodeFiles(files)}`],
		{
			cwd: places.dir,
			env: withCompileCache(profile.env, places),
			stdio: ["ignore", "ignore", "ignore", "pipe"],
			windowsHide: true,
		},
	);
	const answers = new Map<string, ProvidersOf>();
	const { promise: ended, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(() => child.kill("SIGKILL"), PROVIDERS_WITHIN_MS);
	let text = "";
	child.stdio[ANSWERS_FD]?.on("data", (bytes: Buffer) => {
		text += bytes.toString();
	});
	child.once("error", () => resolve());
	child.once("close", () => resolve());
	await ended;
	clearTimeout(timer);
	for (const line of text.split("\n").slice(0, -1)) {
		const answer = JSON.parse(line) as ProvidersOf;
		answers.set(answer.file, answer);
	}
	return answers;
}

/** The providers that extension files were found to register, by the digest of the file's content. */
function memoryIn(places: Places) {
	const path = join(places.dir, "providers.json");
	const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
	const load = (): Record<string, unknown> => {
		try {
			const stored: unknown = JSON.parse(readFileSync(path, "utf8"));
			return isRecord(stored) ? stored : {};
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			return {}; // Missing or damaged: the next question fills it again.
		}
	};
	return {
		read(file: string): string[] | undefined {
			const entry = load()[file];
			if (!isRecord(entry) || !Array.isArray(entry.providers) || !existsSync(file)) return undefined;
			return entry.digest === digestOf(file) ? entry.providers.map(String) : undefined;
		},
		write(file: string, providers: string[]): void {
			writePrivate(path, JSON.stringify({ ...load(), [file]: { digest: digestOf(file), providers } }));
		},
	};
}
