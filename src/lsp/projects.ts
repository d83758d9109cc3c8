import { dirname, extname } from "node:path";
import { hasExtension, sourceFiles } from "./project-files.ts";
import type { ServerLaunch } from "./server/launch.ts";
import { installedServer, type LspSession, launchFor, serversNamed } from "./session.ts";

/** A server and the files it is for. */
export interface ServerProject {
	launch: ServerLaunch;
	files: string[];
}

/** Each takes a server of its own, and a repository may have a hundred. */
const MOST_PROJECTS = 6;

/** The largest projects below the working directory for which a server is installed, and the files of all. */
export async function projectsOf(
	session: LspSession,
	asked?: string,
): Promise<{ projects: ServerProject[]; left: ServerProject[] }> {
	const servers = serversNamed(session, asked);
	const extensions: Record<string, string> = Object.assign({}, ...servers.map(({ languages }) => languages));
	const files = await sourceFiles(session.workspace.cwd, hasExtension(extensions));
	const all = byProject(files, launchesByFolder(session, servers)).sort((a, b) => b.files.length - a.files.length);
	if (all.length > 0) return { projects: all.slice(0, MOST_PROJECTS), left: all.slice(MOST_PROJECTS) };
	const [first] = files;
	if (first !== undefined) launchFor(session, first, asked); // Says what is missing.
	throw new Error(`There is no source file of a known language in ${session.workspace.cwd}.`);
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
