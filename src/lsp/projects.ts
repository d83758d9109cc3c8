import { dirname, extname } from "node:path";
import { hasExtension, sourceFiles } from "./project-files.ts";
import type { Launch } from "./server/server-connection.ts";
import { installedServer, type LspSession, launchFor, serversNamed } from "./session.ts";

/** A server and the files it is for, the nearest to the working directory first. */
export interface Project {
	launch: Launch;
	files: string[];
}

/** The projects below the working directory for which a server is installed. */
export async function projectsOf(session: LspSession, asked?: string): Promise<Project[]> {
	const servers = serversNamed(session, asked);
	const extensions: Record<string, string> = Object.assign({}, ...servers.map(({ languages }) => languages));
	const files = await sourceFiles(session.workspace.cwd, hasExtension(extensions));
	const launchOf = launchesByFolder(session, servers);
	const projects = new Map<string, Project>();
	for (const file of files) {
		const launch = launchOf(file);
		if (!launch) continue;
		const key = `${launch.definition.name} ${launch.root}`;
		const project = projects.get(key) ?? { launch, files: [] };
		project.files.push(file);
		projects.set(key, project);
	}
	if (projects.size > 0) return [...projects.values()];
	const [first] = files;
	if (first !== undefined) launchFor(session, first, asked); // Says what is missing.
	throw new Error(`There is no source file of a known language in ${session.workspace.cwd}.`);
}

/** Looks for programs once per folder and extension, not once per file. */
function launchesByFolder(session: LspSession, servers: ReturnType<typeof serversNamed>) {
	const known = new Map<string, Launch | undefined>();
	return (file: string): Launch | undefined => {
		const key = `${extname(file)} ${dirname(file)}`;
		if (!known.has(key)) {
			const candidates = servers.filter(({ languages }) => hasExtension(languages)(file));
			known.set(key, installedServer(session, candidates, dirname(file)));
		}
		return known.get(key);
	};
}
