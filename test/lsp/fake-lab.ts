import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerDefinition } from "../../src/lsp/server/definition.ts";
import type { ServerLimits } from "../../src/lsp/server/limits.ts";
import type { Lab, useLab } from "./lab.ts";

const script = join(dirname(fileURLToPath(import.meta.url)), "fixtures", "fake-server.mjs");
/** Long enough for a busy machine; who should be late is given less. */
const SHORT: Partial<ServerLimits> = { initializeMs: 8000, requestMs: 8000, leaveMs: 200, settleMs: 400, againMs: 10 };

export interface FakeLab extends Lab {
	log(): string[];
	startedPids(): number[];
	/** Lets a server that reads the project finish. */
	letItFinish(): void;
}

/** A project of `.fake` files with a server that behaves as told. */
export function fakeLab(
	openLab: ReturnType<typeof useLab>,
	how: string,
	{ limits = {}, files = { "a.fake": "one 😀 two\n" } }: FakeOptions = {},
): FakeLab {
	const lab = openLab({ files, limits: { ...SHORT, ...limits } });
	const logFile = join(lab.folder, "log");
	const definition: ServerDefinition = {
		name: "fake",
		command: [process.execPath, script, how, logFile],
		languages: { ".fake": "fake" },
		rootMarkers: [],
		install: "npm install fake",
	};
	const log = () => (existsSync(logFile) ? readFileSync(logFile, "utf8").trim().split("\n") : []);
	const startedPids = () => log().flatMap((line) => (line.startsWith("started ") ? [Number(line.slice(8))] : []));
	const lsp: Lab["lsp"] = (request, changes) => lab.lsp(request, { servers: [definition], ...changes });
	return { ...lab, lsp, log, startedPids, letItFinish: () => writeFileSync(`${logFile}.read`, "") };
}

interface FakeOptions {
	limits?: Partial<ServerLimits>;
	files?: Record<string, string>;
}
