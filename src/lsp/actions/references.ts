import type { Location } from "vscode-languageserver-protocol";
import { messageOf } from "../../run/message-of.ts";
import { byPlace, type FoundLocation, LocationReader, listedLocations, onceEach } from "../locations.ts";
import { toPosition } from "../positions.ts";
import { hasExtension } from "../project-files.ts";
import { noteLimitsOf, projectsMentioning, type ServerProject, someOf } from "../projects.ts";
import { askSteadily, readProject } from "../readiness.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import type { ServerLaunch } from "../server/launch.ts";
import { type LspSession, withServer } from "../session.ts";
import { atTarget, type Target } from "../target.ts";
import { wordAt } from "../words.ts";
import { diagnosticsOf } from "./diagnostics.ts";

/** How many files to open in a server, so that it knows them even if its project does not list them. */
const MOST_SHOWN = 40;
const MOST_CHECKED = 8;
const CHECK_MS = 3000;
const ERROR = 1;

/** Asks the server of every project whose files mention the name, and reports what none of them could check. */
export function findReferences(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	return atTarget(session, request, async (target) => {
		const { server, path, place, lines } = target;
		const name = wordAt(lines[place.line - 1] ?? "", place.column);
		const knowsFile = ({ definition }: ServerLaunch) => hasExtension(definition.languages)(path);
		const { projects, mentions } =
			name === undefined
				? { projects: [], mentions: [] }
				: await projectsMentioning(session, name, { asked: request.server, isWanted: knowsFile });
		const isOwn = ({ launch }: ServerProject) => launch.root === server.launch.root;
		const own = projects.find(isOwn) ?? { launch: server.launch, files: [path] };
		const others = projects.filter((project) => !isOwn(project));
		const answers = await Promise.all([
			referencesIn(session, server, { target, files: own.files }),
			...others.map((project) => referencesElsewhere(session, project, target)),
		]);
		const found = byPlace(onceEach(answers.flatMap((answer) => answer ?? [])));
		if (name !== undefined) {
			const inCode = new Set(mentions.flatMap((mention) => (mention.inCode ? [mention.file] : [])));
			const asked = [own, ...others].filter((_, index) => answers[index]);
			const relevant = asked.map(({ launch, files }) => ({ launch, files: files.filter((file) => inCode.has(file)) }));
			await noteUnexplained(session, { name, projects: relevant, found });
		}
		const { lines: text, ...shown } = listedLocations(found);
		return { text: text.join("\n") || "No references found.", details: { ...shown, server: server.name } };
	});
}

async function referencesElsewhere(
	session: LspSession,
	{ launch, files }: ServerProject,
	target: Target,
): Promise<FoundLocation[] | undefined> {
	try {
		return await withServer(session, launch, (server) => referencesIn(session, server, { target, files }));
	} catch (error) {
		if (session.signal?.aborted) throw error;
		session.notes.add(`${someOf(session, [launch.root])} was not asked: ${messageOf(error)}`);
		return undefined;
	}
}

async function referencesIn(
	session: LspSession,
	server: LanguageServer,
	{ target, files }: { target: Target; files: readonly string[] },
): Promise<FoundLocation[]> {
	const { path, place, lines } = target;
	noteLimitsOf(session, server.launch);
	await readProject(session, server, [...files.slice(0, MOST_SHOWN).filter((file) => file !== path), path]);
	const position = toPosition(place, lines[place.line - 1] ?? "", server.encoding);
	const { uri } = server.documents.open(path);
	const params = { textDocument: { uri }, position, context: { includeDeclaration: true } };
	const ask = () => server.request<Location[] | null>("textDocument/references", params, session.signal);
	const answer = await askSteadily(session, server, { ask, isThin: (found) => (found?.length ?? 0) <= 1 });
	const reader = new LocationReader(session.workspace);
	return (answer ?? []).map((location) => reader.read(location, server.encoding));
}

/**
 * Notes files that have the name in their code but none of the references. Those with errors may have references that no
 * server can see. The others are named only if there are no references or something is uncertain, because readers take "no
 * references" for "not used anywhere".
 */
async function noteUnexplained(
	session: LspSession,
	{ name, projects, found }: { name: string; projects: ServerProject[]; found: FoundLocation[] },
): Promise<void> {
	const explained = new Set(found.map(({ path }) => path));
	const open = projects.map(({ launch, files }) => ({
		launch,
		files: files.filter((file) => !explained.has(session.workspace.show(file))),
	}));
	const broken = (await Promise.all(open.map((project) => filesWithErrors(session, project)))).flat();
	if (broken.length > 0) {
		const have = broken.length === 1 ? "has" : "have";
		session.notes.add(`${someOf(session, broken)} ${have} errors and ${name} in it: references there may be missing.`);
	}
	const others = open.flatMap(({ files }) => files).filter((file) => !broken.includes(file));
	if ((found.length <= 1 || !session.notes.isEmpty) && others.length > 0) {
		session.notes.add(
			`${name} also occurs in ${someOf(session, others)}: not references to this symbol as far as is known.`,
		);
	}
}

async function filesWithErrors(session: LspSession, { launch, files }: ServerProject): Promise<string[]> {
	if (files.length === 0) return [];
	return withServer(session, launch, async (server) => {
		const checked = await Promise.all(
			files.slice(0, MOST_CHECKED).map(async (file) => {
				const items = (await diagnosticsOf(server, file, { signal: session.signal, ms: CHECK_MS })) ?? [];
				return items.some(({ severity = ERROR }) => severity === ERROR) ? [file] : [];
			}),
		);
		return checked.flat();
	});
}
