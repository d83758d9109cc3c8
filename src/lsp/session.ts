import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";
import { ancestors } from "../files/repository.ts";
import type { ServerRings } from "../sandbox/lent-rings.ts";
import type { AnswerNotes } from "./answer-notes.ts";
import type { ServerDefinition } from "./server/definition.ts";
import { findProgram } from "./server/find-program.ts";
import type { LanguageServer } from "./server/language-server.ts";
import { launchIn, type ServerLaunch } from "./server/launch.ts";
import type { ServerPool } from "./server/server-pool.ts";
import type { Workspace } from "./workspace.ts";

/** What an action works with. */
export interface LspSession {
	workspace: Workspace;
	servers: readonly ServerDefinition[];
	pool: ServerPool;
	/** Whether programs of the project may be run. */
	trusted: boolean;
	/** Whether edits may be applied. */
	mayWrite: boolean;
	idleMs: number;
	/** The rings in which a child's servers run, if the kernel supports rings. */
	rings?: ServerRings | undefined;
	env: NodeJS.ProcessEnv;
	signal?: AbortSignal | undefined;
	/** The limits of the answer. */
	notes: AnswerNotes;
	/** Receives what the call waits for. */
	onProgress?: ((text: string) => void) | undefined;
	/** pi's queue for editing files. */
	inMutationQueue<T>(path: string, work: () => Promise<T>): Promise<T>;
	unifiedPatch(path: string, before: string, after: string): string;
}

/** The part that all calls of a session share. */
export type LspSetup = Omit<LspSession, "notes">;

/** Does something with a server, after telling the server about changes on disk. */
export function withServer<R>(
	session: LspSession,
	launch: ServerLaunch,
	work: (server: LanguageServer) => Promise<R>,
): Promise<R> {
	const refreshed = async (server: LanguageServer) => {
		await server.refresh();
		return work(server);
	};
	return session.pool.use(launch, refreshed, session.signal);
}

/** The server for a file: the first installed one that knows its language, or the one asked for. */
export function launchFor(session: LspSession, path: string, asked?: string): ServerLaunch {
	const extension = extname(path).toLowerCase();
	const candidates = serversNamed(session, asked).filter(({ languages }) => extension in languages);
	if (candidates.length === 0) {
		const known = [...new Set(session.servers.flatMap(({ languages }) => Object.keys(languages)))].join(" ");
		throw new Error(
			`${asked ?? "No language server"} ${asked ? "does not know" : "is known for"} ${extension || "files without extension"}. ` +
				`Known: ${known}. More can be added under lsp.servers in pi-geon.json.`,
		);
	}
	const launch = installedServer(session, candidates, dirname(path));
	if (launch) return launch;
	throw new Error(`No language server for ${extension} was found. ${candidates.map(remedy(session)).join(" ")}`);
}

export function serversNamed({ servers }: LspSession, asked: string | undefined): readonly ServerDefinition[] {
	if (asked === undefined) return servers;
	const named = servers.filter(({ name }) => name === asked);
	if (named.length > 0) return named;
	throw new Error(`There is no server ${asked}. Known: ${servers.map(({ name }) => name).join(", ")}.`);
}

/** The first of some servers that is installed and may run here, for a folder. */
export function installedServer(
	session: LspSession,
	candidates: readonly ServerDefinition[],
	folder: string,
): ServerLaunch | undefined {
	for (const definition of candidates) {
		const launch = launchIn(session, definition, rootOf(session, definition, folder));
		if (launch) return launch;
	}
	return undefined;
}

/** The nearest folder with one of the server's markers, or the workspace; never above it. */
function rootOf({ workspace }: LspSession, definition: ServerDefinition, folder: string): string {
	const { rootMarkers, workspaceMarkers = [] } = definition;
	const inside = ancestors(folder).filter((candidate) => workspace.contains(candidate));
	return (
		inside.find((candidate) => workspaceMarkers.some((marker) => hasMarker(candidate, marker))) ??
		inside.find((candidate) => rootMarkers.some((file) => hasMarker(candidate, { file }))) ??
		workspace.root
	);
}

export function hasMarker(folder: string, { file, saying }: { file: string; saying?: RegExp }): boolean {
	const path = join(folder, file);
	return existsSync(path) && (saying === undefined || says(path, saying));
}

function says(path: string, what: RegExp): boolean {
	try {
		return what.test(readRegularFile(path));
	} catch (error) {
		if (error instanceof Error && "code" in error) return false; // It is a pipe, a folder, or may not be read.
		throw error;
	}
}

/** Why a server cannot be used, and what would help. */
export const remedy =
	(session: LspSession) =>
	(definition: ServerDefinition): string => {
		const { name, command, install, needsTrust } = definition;
		const trust = "trust the project (/trust, or pi --approve)";
		if (needsTrust !== undefined && !session.trusted) return `${name} ${needsTrust}: ${trust} to use it.`;
		const { passedOver } = findProgram(definition, session.workspace.cwd, session);
		if (passedOver.length > 0) {
			return `${name}: this project is not trusted, so ${passedOver.join(" ")} To run it, ${trust}; or ${install}.`;
		}
		const own = session.trusted ? "" : `, or ${trust} if it is installed there`;
		return `${name}: \`${command[0]}\` is neither on the PATH nor in the usual places; ${install}${own}.`;
	};
