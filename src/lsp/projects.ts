import { dirname, extname } from "node:path";
import { plural } from "../run/amounts.ts";
import { OTHER_LANGUAGES } from "./languages.ts";
import { type Mention, mentionsOf } from "./mentions.ts";
import { hasExtension, MOST_PROJECT_FILES, sourceFiles } from "./project-files.ts";
import { COMPILE_COMMANDS } from "./server/definition.ts";
import type { ServerLaunch } from "./server/launch.ts";
import { hasMarker, installedServer, type LspSession, launchFor, remedy, serversNamed } from "./session.ts";

/** A server and the files it is for. */
export interface ServerProject {
	launch: ServerLaunch;
	files: string[];
}

/** The most projects for one call: each takes its own server, and a repository may have a hundred. */
const MOST_PROJECTS = 6;
const MOST_NAMED = 5;

/** The chosen projects, and the files of all. */
export interface ChosenProjects {
	projects: ServerProject[];
	left: ServerProject[];
}

/**
 * The projects below a folder for which a server is installed: those around the working directory first, then the largest.
 * Adds notes about the others.
 */
export async function projectsOf(session: LspSession, folder: string, asked?: string): Promise<ChosenProjects> {
	const { files, launchOf } = await sourcesOf(session, folder, asked);
	const chosen = chosenOf(session, byProject(files, launchOf));
	if (chosen.projects.length > 0) {
		noteUnserved(
			session,
			files.filter((file) => !launchOf(file)),
		);
		noteLeft(session, chosen.left);
		return chosen;
	}
	const known = files.find((file) => !(extname(file).toLowerCase() in OTHER_LANGUAGES));
	if (known !== undefined) launchFor(session, known, asked); // Reports what is missing.
	throw new Error(`There is no source file of a known language in ${folder}.`);
}

/** The projects of the repository with files that have a word in them, and those files. */
export async function projectsMentioning(
	session: LspSession,
	word: string,
	{ asked, isWanted = () => true }: { asked?: string | undefined; isWanted?: (launch: ServerLaunch) => boolean } = {},
): Promise<ChosenProjects & { mentions: Mention[] }> {
	const { files, launchOf } = await sourcesOf(session, session.workspace.root, asked);
	const mentions = await mentionsOf(word, files);
	noteUnserved(
		session,
		mentions.flatMap(({ file, inCode }) => (inCode && !launchOf(file) ? [file] : [])),
		word,
	);
	const served = mentions.filter(({ file }) => {
		const launch = launchOf(file);
		return launch !== undefined && isWanted(launch);
	});
	const chosen = chosenOf(
		session,
		byProject(
			served.map(({ file }) => file),
			launchOf,
		),
	);
	noteLeft(session, chosen.left);
	return { ...chosen, mentions: served };
}

async function sourcesOf(session: LspSession, folder: string, asked: string | undefined) {
	const servers = serversNamed(session, asked);
	const extensions = Object.assign({}, asked === undefined ? OTHER_LANGUAGES : {}, ...servers.map((s) => s.languages));
	const found = await sourceFiles(folder, hasExtension(extensions));
	const files = found.filter((file) => !session.workspace.hides(file));
	if (found.length >= MOST_PROJECT_FILES) {
		session.notes.add(
			`only the first ${MOST_PROJECT_FILES} source files of ${session.workspace.show(folder)} were examined.`,
		);
	}
	return { files, launchOf: launchesByFolder(session, servers) };
}

function chosenOf({ workspace }: LspSession, all: ServerProject[]): ChosenProjects {
	const isNear = ({ files }: ServerProject) => files.some((file) => file.startsWith(workspace.cwd));
	const order = (a: ServerProject, b: ServerProject) =>
		Number(isNear(b)) - Number(isNear(a)) || b.files.length - a.files.length;
	const sorted = all.sort(order);
	return { projects: sorted.slice(0, MOST_PROJECTS), left: sorted.slice(MOST_PROJECTS) };
}

export function byProject(
	files: readonly string[],
	launchOf: (file: string) => ServerLaunch | undefined,
): ServerProject[] {
	const projects = new Map<string, ServerProject>();
	for (const file of files) {
		const launch = launchOf(file);
		if (!launch) continue;
		const key = `${launch.definition.name} ${launch.root}`;
		const project = projects.get(key) ?? { launch, files: [] };
		project.files.push(file);
		projects.set(key, project);
	}
	return [...projects.values()];
}

/**
 * The files to open so that a server reads its project: one of each language, the language with the most files first. The
 * nearest file alone is not enough: it may be the configuration of a tool, in another language and outside the project.
 */
export function firstFiles({ launch, files }: ServerProject): string[] {
	const { languages } = launch.definition;
	const byLanguage = new Map<string, string[]>();
	for (const file of files) {
		const language = languages[extname(file).toLowerCase()] ?? "";
		byLanguage.set(language, [...(byLanguage.get(language) ?? []), file]);
	}
	return [...byLanguage.values()].sort((a, b) => b.length - a.length).flatMap(([first]) => first ?? []);
}

/** Looks for programs once per folder and extension, not once per file. */
function launchesByFolder(session: LspSession, servers: ReturnType<typeof serversNamed>) {
	const known = new Map<string, ServerLaunch | undefined>();
	return (file: string): ServerLaunch | undefined => {
		const key = `${extname(file)} ${dirname(file)}`;
		if (!known.has(key)) {
			const candidates = servers.filter(({ languages }) => hasExtension(languages)(file));
			known.set(key, installedServer(session, candidates, dirname(file)));
		}
		return known.get(key);
	};
}

function noteUnserved(session: LspSession, files: readonly string[], word?: string): void {
	const byExtension = Map.groupBy(files, (file) => extname(file).toLowerCase());
	for (const [extension, unserved] of byExtension) {
		const servers = session.servers.filter(({ languages }) => extension in languages);
		const why = servers.map(remedy(session)).join(" ") || `No language server is known for ${extension}.`;
		const some = `${plural(unserved.length, `${extension} file`)}${word === undefined ? "" : ` with ${word}`}`;
		session.notes.add(`${some} not examined: ${someOf(session, unserved)}. ${why}`);
	}
}

function noteLeft(session: LspSession, left: readonly ServerProject[]): void {
	if (left.length === 0) return;
	const roots = someOf(
		session,
		left.map(({ launch }) => launch.root),
	);
	session.notes.add(`${plural(left.length, "project")} not asked: ${roots}. Give a \`file\` of one.`);
}

/** Notes a missing list of files: without one, clangd knows only the opened files. */
export function noteLimitsOf(session: LspSession, { definition, root }: ServerLaunch): void {
	if (definition.name !== "clangd" || COMPILE_COMMANDS.some((file) => hasMarker(root, { file }))) return;
	const where = session.workspace.show(root);
	session.notes.add(`there is no compile_commands.json in ${where}, so clangd may not find everything.`);
}

export function someOf({ workspace }: LspSession, paths: readonly string[]): string {
	const shown = paths.slice(0, MOST_NAMED).map((path) => workspace.show(path));
	return shown.join(", ") + (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "");
}
