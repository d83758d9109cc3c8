import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { placesIn } from "../../src/ledger/places.ts";
import type { ScriptedModel } from "./model.ts";
import { ANY_PI, type PiVersion, repositoryRoot, stagedPackage, toolFolders } from "./repository.ts";

/** The variable by which every process that a test starts, however indirectly, is found again. */
export const MARKER = "PI_GEON_TEST";

interface Cost {
	readonly input: number;
	readonly output: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
}

export interface HomeOptions {
	readonly model: ScriptedModel;
	/** The pi that is started in it unless a test says otherwise. */
	readonly pi?: PiVersion;
	/** What `-e` loads; false for a pi without extension. Default: the package as it is published. */
	readonly extension?: string | false;
	/** More extension files to load. */
	readonly moreExtensions?: readonly string[];
	/** On top of the defaults in settings.json. */
	readonly settings?: object;
	/** The content of pi-geon.json: a value, or the text itself. */
	readonly config?: object | string;
	/** File name → text, in the user's agents folder. */
	readonly agents?: Readonly<Record<string, string>>;
	/** Path → text, in the project folder. */
	readonly files?: Readonly<Record<string, string>>;
	readonly git?: boolean;
	readonly contextWindow?: number;
	/** Of models that have another one, by their ids. */
	readonly windows?: Readonly<Record<string, number>>;
	/** Whether its models can think. */
	readonly reasoning?: boolean;
	/** Prices of the model `priced`, in dollars per million tokens. */
	readonly cost?: Cost;
	readonly env?: Readonly<Record<string, string>>;
	/** Nothing of ours is in the agent directory yet, not even what makes hosts start faster. */
	readonly untouched?: true;
}

/** A machine of its own for one test: home, agent directory, project and temp folder, below one scratch folder. */
export interface Home {
	readonly id: string;
	readonly scratch: string;
	readonly home: string;
	readonly agentDir: string;
	readonly project: string;
	readonly temp: string;
	readonly env: Readonly<Record<string, string>>;
	readonly model: ScriptedModel;
	readonly pi: PiVersion;
	/** `-e <extension>`, or nothing. */
	readonly extensionArgs: readonly string[];
	/** The machine that does its runs, in tests that go through a pool. */
	readonly worker?: Home;
	/** Closes what a test may have left open: terminals and RPC clients register here. */
	readonly closers: Set<() => Promise<void>>;
}

export async function makeHome(options: HomeOptions): Promise<Home> {
	// A short name: the path of a Unix socket below it has about a hundred characters.
	const scratch = await realpath(await mkdtemp(join(tmpdir(), "pg-")));
	const id = randomBytes(6).toString("hex");
	const places = {
		home: join(scratch, "home"),
		agentDir: join(scratch, "home", ".pi", "agent"),
		project: join(scratch, "project"),
		temp: join(scratch, "tmp"),
	};
	for (const folder of Object.values(places)) await mkdir(folder, { recursive: true });
	await shareTranspiledExtensions(places.temp);
	if (!options.untouched) await prefillLoaderCache(places.agentDir);
	await writeAgentDir(places.agentDir, options);
	await writeFiles(places.project, options.files ?? {});
	if (options.git) execFileSync("git", ["init", "--quiet"], { cwd: places.project });
	const { extension = stagedPackage() } = options;
	return {
		id,
		scratch,
		...places,
		env: { ...environment(places, id), ...options.env },
		model: options.model,
		pi: options.pi ?? ANY_PI,
		extensionArgs: [...(extension === false ? [] : [extension]), ...(options.moreExtensions ?? [])].flatMap((path) => [
			"-e",
			path,
		]),
		closers: new Set(),
	};
}

/** The variable that names a folder with what pi's loader keeps for hosts in a ring. */
export const LOADER_CACHE = "PI_GEON_LOADER_CACHE";

/** pi's loader keeps what it transpiled in the temp folder; with a folder for each home it would start over each time. */
async function shareTranspiledExtensions(temp: string): Promise<void> {
	const shared = join(repositoryRoot, ".cache", "jiti");
	await mkdir(shared, { recursive: true });
	await symlink(shared, join(temp, "jiti"));
}

/** For hosts in a ring, the loader keeps it in the state folder. */
async function prefillLoaderCache(agentDir: string): Promise<void> {
	const warm = process.env[LOADER_CACHE];
	if (warm === undefined) return;
	const { loader } = placesIn(agentDir).ringed;
	await mkdir(loader, { recursive: true, mode: 0o700 });
	// Copied: a link would lead out of what a ring may write to.
	await cp(warm, loader, { recursive: true });
}

async function writeAgentDir(agentDir: string, options: HomeOptions): Promise<void> {
	const { config, agents = {} } = options;
	await writeFiles(agentDir, {
		"models.json": JSON.stringify(modelsJson(options)),
		"settings.json": JSON.stringify({ ...defaultSettings, ...options.settings }),
		...(config === undefined ? {} : { "pi-geon.json": typeof config === "string" ? config : JSON.stringify(config) }),
		...Object.fromEntries(Object.entries(agents).map(([name, text]) => [join("agents", name), text])),
	});
}

const defaultSettings = {
	defaultProvider: "scripted",
	defaultModel: "parent",
	quietStartup: true,
	// pi's own backoff starts at two seconds.
	retry: { enabled: true, maxRetries: 3, baseDelayMs: 20 },
};

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const someCost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function modelsJson(options: HomeOptions): object {
	const { model, contextWindow = 200_000, windows = {}, reasoning = false, cost = someCost } = options;
	const entry = (id: string, prices: Cost) => ({
		id,
		name: id,
		reasoning,
		input: ["text"],
		contextWindow: windows[id] ?? contextWindow,
		maxTokens: 8_192,
		cost: { ...noCost, ...prices },
	});
	return {
		providers: {
			scripted: {
				baseUrl: model.baseUrl,
				apiKey: "scripted-key",
				api: "openai-completions",
				models: [entry("parent", noCost), entry("child", noCost), entry("priced", cost)],
			},
		},
	};
}

/** Node's compiled form of pi, which pi keeps in the temp folder: with an empty one a start takes 2 s, not 0.8. */
export const compileCache = join(repositoryRoot, ".cache", "node-compile-cache");

/** npm adds a folder of programs for each folder above, such as the one of all temporary files: a test's project is below it. */
const existingFolders = (path: string): string[] => path.split(delimiter).filter((folder) => existsSync(folder));

const INHERITED = ["SystemRoot", "ComSpec", "PATHEXT", "LANG", "LC_ALL"];

function environment(places: { home: string; agentDir: string; temp: string }, id: string): Record<string, string> {
	const inherited = INHERITED.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return {
		...Object.fromEntries(inherited),
		PATH: [...toolFolders, ...existingFolders(process.env.PATH ?? "")].join(delimiter),
		HOME: places.home,
		USERPROFILE: places.home,
		TMPDIR: places.temp,
		TEMP: places.temp,
		TMP: places.temp,
		PI_CODING_AGENT_DIR: places.agentDir,
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		PI_GEON_HOST_IDLE_MS: "300",
		NODE_COMPILE_CACHE: compileCache,
		[MARKER]: id,
	};
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const file = join(folder, name);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}
}
