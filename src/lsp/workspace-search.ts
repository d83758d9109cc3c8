import { resolve } from "node:path";
import type { SymbolInformation, WorkspaceSymbol } from "vscode-languageserver-protocol";
import { messageOf } from "../run/message-of.ts";
import { symbolsIn } from "./file-symbols.ts";
import { byPlace, type FoundLocation, LocationReader, onceEach } from "./locations.ts";
import { firstFiles, noteLimitsOf, projectsMentioning, projectsOf, type ServerProject, someOf } from "./projects.ts";
import { askSteadily, readProject } from "./readiness.ts";
import type { LanguageServer } from "./server/language-server.ts";
import { type LspSession, withServer } from "./session.ts";
import { hasLastName, isMeant, nameParts } from "./symbol-names.ts";

/** How many files to open so that a server reads their projects. */
const MOST_OPENED = 20;

export interface WorkspaceMatch extends FoundLocation {
	name: string;
	kind: number;
	within: string[];
	/** Whether it is not from the standard library or a downloaded package. */
	isOwn: boolean;
}

/** The symbols that the servers of the workspace find for a part of a name. The project's own come first. */
export async function searchWorkspace(session: LspSession, query: string, server?: string): Promise<WorkspaceMatch[]> {
	const { projects } = await projectsOf(session, session.workspace.root, server);
	const found = await inEach(session, projects, async (running, project) => {
		const matches: WorkspaceMatch[] = [];
		for (const file of firstFiles(project)) {
			matches.push(...(await matchesFrom(session, running, { query, opened: [file] })));
		}
		return matches;
	});
	return ownFirst(found);
}

/**
 * The symbols of the workspace with a name, optionally with that of their container (`Class.method`). Asks only servers of
 * projects that mention the name, since no server finds a name that no file mentions.
 */
export async function symbolsCalled(session: LspSession, name: string, server?: string): Promise<WorkspaceMatch[]> {
	const last = nameParts(name).at(-1) ?? name;
	const { projects } = await projectsMentioning(session, last, { asked: server });
	const found = await inEach(session, projects, async (running, { files }) => {
		const opened = files.slice(0, MOST_OPENED);
		if (opened.length < files.length) {
			session.notes.add(
				`${last} occurs in more than ${MOST_OPENED} files of ${session.workspace.show(running.launch.root)}.`,
			);
		}
		const similar = await matchesFrom(session, running, { query: last, opened });
		const known = await withContainers(
			session,
			running,
			similar.filter((match) => hasLastName(name, match.name)),
		);
		const exact = known.filter((match) => isMeant(name, match));
		// A server that cannot search, or does not know all files, still knows the content of an opened one.
		return exact.length > 0 ? exact : declaredIn(session, running, { name, files: opened });
	});
	const own = ownFirst(found);
	return own.some(({ isOwn }) => isOwn) ? own.filter(({ isOwn }) => isOwn) : own;
}

/** Notes a server that fails, and asks the others anyway. */
async function inEach(
	session: LspSession,
	projects: ServerProject[],
	work: (server: LanguageServer, project: ServerProject) => Promise<WorkspaceMatch[]>,
): Promise<WorkspaceMatch[]> {
	const answers = await Promise.all(
		projects.map(async (project) => {
			noteLimitsOf(session, project.launch);
			try {
				return await withServer(session, project.launch, (server) => work(server, project));
			} catch (error) {
				if (session.signal?.aborted || projects.length === 1) throw error;
				session.notes.add(`${someOf(session, [project.launch.root])} was not searched: ${messageOf(error)}`);
				return [];
			}
		}),
	);
	return answers.flat();
}

async function matchesFrom(
	session: LspSession,
	server: LanguageServer,
	{ query, opened }: { query: string; opened: readonly string[] },
): Promise<WorkspaceMatch[]> {
	await readProject(session, server, opened);
	// typescript-language-server searches the project of the file that it was last asked about.
	const [first] = opened;
	if (first !== undefined) await symbolsIn(server, first, session.signal);
	if (!server.capabilities.workspaceSymbolProvider) {
		session.notes.add(`${server.name} cannot search a workspace by name: only files that mention it were searched.`);
		return [];
	}
	const ask = () =>
		server.request<(SymbolInformation | WorkspaceSymbol)[] | null>("workspace/symbol", { query }, session.signal);
	const answer = await askSteadily(session, server, { ask, isThin: (symbols) => (symbols?.length ?? 0) <= 1 });
	const reader = new LocationReader(session.workspace);
	return (answer ?? []).map(({ name, kind, location, containerName }) => {
		const range = "range" in location ? location.range : { start: ORIGIN, end: ORIGIN };
		const { uri } = location;
		const found = reader.read({ uri, range: reader.named({ uri, range, name }, server.encoding) }, server.encoding);
		return { name, kind, within: containerName ? [containerName] : [], isOwn: reader.isOwn(uri), ...found };
	});
}

/** What contains a symbol. If its server does not report that, the outline of its file does. */
async function withContainers(
	session: LspSession,
	server: LanguageServer,
	matches: WorkspaceMatch[],
): Promise<WorkspaceMatch[]> {
	return Promise.all(
		matches.map(async (match) => {
			const path = session.workspace.readable(resolve(session.workspace.cwd, match.path));
			if (match.within.length > 0 || !match.isOwn || path === undefined) return match;
			const symbols = await symbolsIn(server, path, session.signal);
			const same = symbols.find(({ name, range }) => name === match.name && range.start.line === match.line - 1);
			return same ? { ...match, within: same.within } : match;
		}),
	);
}

async function declaredIn(
	session: LspSession,
	server: LanguageServer,
	{ name, files }: { name: string; files: readonly string[] },
): Promise<WorkspaceMatch[]> {
	const reader = new LocationReader(session.workspace);
	const perFile = await Promise.all(
		files.map(async (path) => {
			const meant = (await symbolsIn(server, path, session.signal)).filter((symbol) => isMeant(name, symbol));
			const { uri } = server.documents.open(path);
			return meant.map(({ range, ...symbol }) => ({
				...symbol,
				isOwn: true,
				...reader.read({ uri, range }, server.encoding),
			}));
		}),
	);
	return perFile.flat();
}

const ownFirst = (matches: WorkspaceMatch[]): WorkspaceMatch[] => {
	const all = byPlace(onceEach(matches));
	return [...all.filter(({ isOwn }) => isOwn), ...all.filter(({ isOwn }) => !isOwn)];
};

const ORIGIN = { line: 0, character: 0 };
