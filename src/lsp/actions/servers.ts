import type { LspAnswer, LspRequest } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import { installedServer, type LspSession, launchFor, remedy, serversNamed } from "../session.ts";

/** Which servers exist, which are found, and which are running. */
export function servers(session: LspSession, request: LspRequest): LspAnswer {
	const { workspace, pool } = session;
	const running = pool.running().filter(({ launch }) => workspace.contains(launch.root));
	const table = serversNamed(session, request.server).map((definition) => {
		const launch = installedServer(session, [definition], workspace.cwd);
		const instances = running.filter(({ name }) => name === definition.name).map((server) => instance(session, server));
		return { definition, command: launch?.command.join(" "), instances };
	});
	const lines = table.flatMap(({ definition, command, instances }) => [
		`${definition.name} (${Object.keys(definition.languages).join(" ")}): ${command ?? `not usable. ${remedy(session)(definition)}`}`,
		...instances.map(
			({ root, pid, seconds, documents, busyWith }) =>
				`  running in ${root}: pid ${pid}, ${seconds} s, ${documents} open${busyWith === undefined ? "" : `, ${busyWith}`}`,
		),
	]);
	const details = table.map(({ definition, command, instances }) => ({ name: definition.name, command, instances }));
	return { text: lines.join("\n"), details: { servers: details } };
}

function instance({ workspace }: LspSession, server: LanguageServer) {
	return {
		root: workspace.show(server.launch.root),
		pid: server.connection.pid,
		seconds: Math.round((Date.now() - server.startedAt) / 1000),
		documents: server.documents.count,
		busyWith: server.progress.busyWith,
	};
}

/** Ends the servers of a file's project, or all of the workspace; the next call starts them again. */
export async function restart(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	const { workspace, pool } = session;
	const root =
		request.file === undefined ? undefined : launchFor(session, workspace.file(request.file), request.server).root;
	const ended = await pool.close(
		(launch) =>
			workspace.contains(launch.root) &&
			(root === undefined || launch.root === root) &&
			(request.server === undefined || launch.definition.name === request.server),
	);
	const names = ended.map(({ name, launch }) => `${name} in ${workspace.show(launch.root)}`);
	return {
		text: names.length > 0 ? `Ended: ${names.join(", ")}. The next call starts them again.` : "No server was running.",
		details: { ended: names },
	};
}
