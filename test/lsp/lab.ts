import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { generateUnifiedPatch, withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import { afterEach, expect } from "vitest";
import type { LspServerSettings } from "../../src/config/config.ts";
import type { LspAnswer, LspRequest } from "../../src/lsp/request.ts";
import { runLsp } from "../../src/lsp/run.ts";
import { knownServers } from "../../src/lsp/server/definition.ts";
import { LIMITS, type ServerLimits } from "../../src/lsp/server/limits.ts";
import { ServerPool } from "../../src/lsp/server/server-pool.ts";
import type { LspSetup } from "../../src/lsp/session.ts";
import { Workspace } from "../../src/lsp/workspace.ts";
import { toolFolders } from "../helpers/repository.ts";

export interface Lab {
	readonly folder: string;
	readonly pool: ServerPool;
	/** Another session in the same process. */
	session(changes?: Partial<LspSetup>): LspSetup;
	lsp(request: LspRequest, changes?: Partial<LspSetup>): Promise<LspAnswer>;
	write(name: string, text: string): string;
	/** Of the servers that ran at any time. */
	pids(): number[];
}

interface LabOptions {
	files: Readonly<Record<string, string>>;
	limits?: Partial<ServerLimits>;
	servers?: readonly Partial<LspServerSettings>[];
	cwd?: string;
}

/** Call it once in a file. Each lab is a project of its own with a pool of its own; after the test nothing may run. */
export function useLab(): (options: LabOptions) => Lab {
	const open: { lab: Lab; remove: () => void }[] = [];
	afterEach(async () => {
		for (const { lab, remove } of open.splice(0)) {
			const pids = lab.pids();
			await lab.pool.dispose();
			remove();
			expect(pids.filter(isAlive)).toEqual([]);
		}
	});
	return (options) => {
		const made = makeLab(options);
		open.push(made);
		return made.lab;
	};
}

function makeLab({ files, limits = {}, servers = [], cwd = "" }: LabOptions): { lab: Lab; remove: () => void } {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
	const write = (name: string, text: string) => {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
		return path;
	};
	for (const [name, text] of Object.entries(files)) write(name, text);
	const pool = new ServerPool({ ...LIMITS, ...limits });
	const seen = new Set<number>();
	const session = (changes: Partial<LspSetup> = {}): LspSetup => ({
		workspace: new Workspace(join(folder, cwd)),
		servers: knownServers(servers.map((server) => ({ ...EMPTY, ...server }))),
		pool,
		trusted: false,
		mayWrite: false,
		idleMs: 60_000,
		env: { ...process.env, PATH: [...toolFolders, process.env.PATH ?? ""].join(delimiter) },
		inMutationQueue: withFileMutationQueue,
		unifiedPatch: generateUnifiedPatch,
		...changes,
	});
	const note = () => {
		for (const { connection } of pool.running()) if (connection.pid !== undefined) seen.add(connection.pid);
	};
	const lsp = async (request: LspRequest, changes?: Partial<LspSetup>) => {
		const watching = setInterval(note, 5);
		try {
			return await runLsp(request, session(changes));
		} finally {
			clearInterval(watching);
			note();
		}
	};
	const lab = { folder, pool, session, lsp, write, pids: () => [...seen] };
	return { lab, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const EMPTY: LspServerSettings = {
	...{ name: "", command: null, extensions: null, languageId: null },
	...{ rootMarkers: null, initializationOptions: null, needsTrust: null, disabled: false },
};

/** False also for a zombie, which only waits for somebody to ask how it ended. */
export function isAlive(pid: number): boolean {
	const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
	return stdout.trim() !== "" && !stdout.startsWith("Z");
}
