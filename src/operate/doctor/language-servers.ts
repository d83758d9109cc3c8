import { existsSync } from "node:fs";
import { join } from "node:path";
import { knownServers, type ServerDefinition } from "../../lsp/server/definition.ts";
import { findProgram, type Surroundings } from "../../lsp/server/find-program.ts";
import { launchIn } from "../../lsp/server/launch.ts";
import { Workspace } from "../../lsp/workspace.ts";
import { type Check, type Examination, type Finding, pass } from "./check.ts";
import { troubleStarting } from "./start-server.ts";

interface Server extends ServerDefinition {
	program: string | undefined;
	passedOver: string[];
	/** Named in lsp.servers. */
	isChosen: boolean;
}

/** Which language servers the lsp tool would find here, and whether they start. */
export const checkLanguageServers: Check = {
	name: "language servers",
	async *run(examination) {
		const { catalog, config, cwd, env, isTrusted } = examination.sources;
		const { lsp, subagents } = config.config;
		const users = catalog.agents.filter(({ tools }) => tools.kind === "only" && tools.names.includes("lsp"));
		const isUsed = lsp.enabled || (subagents.allowLspTools && users.length > 0);
		if (!isUsed) {
			yield pass("The lsp tool is not used");
			return;
		}
		const surroundings = { workspace: new Workspace(cwd), trusted: isTrusted === true, env };
		const servers: Server[] = knownServers(lsp.servers).map((server) => ({
			...server,
			...findProgram(server, surroundings.workspace.cwd, surroundings),
			isChosen: lsp.servers.some(({ name }) => name === server.name),
		}));
		for (const server of servers.filter(({ isChosen, program }) => isChosen && !program)) {
			const { name, command, install, passedOver } = server;
			const isThere = passedOver.length > 0;
			yield {
				level: "warn",
				what: `The language server ${name} of lsp.servers is ${isThere ? "not run in this project, which is not trusted" : "not installed"}`,
				detail: isThere ? passedOver.join("\n") : `${command[0]} was not found.`,
				remedy: isThere ? "Trust the project: /trust, or pi --approve" : `Install it: ${install}`,
			};
		}
		const found = servers.filter(({ program }) => program !== undefined);
		if (found.length > 0) yield* startAll(found, surroundings, examination);
		else {
			// This alone is not a problem: agents have other tools, and there may be no files here for a server.
			const examples = servers.slice(0, 3).map(({ name, install }) => `${name}: ${install}`);
			yield pass("No language server is installed, so the lsp tool has nothing to ask", examples.join("\n"));
		}
	},
};

async function* startAll(
	found: Server[],
	surroundings: Surroundings,
	{ sources, signal }: Examination,
): AsyncGenerator<Finding> {
	const { cwd, root } = surroundings.workspace;
	// Like the lsp tool, do not start servers that run code of an untrusted project.
	const notTried = found.filter(({ needsTrust }) => needsTrust && !sources.isTrusted);
	const tried = await Promise.all(
		found
			.filter((server) => !notTried.includes(server))
			.map(async (server) => {
				const launch = launchIn({ ...surroundings, idleMs: 0 }, server, cwd);
				return { server, trouble: launch ? await troubleStarting(launch, signal) : "it is gone" };
			}),
	);
	if (signal.aborted) return;
	const broken = tried.flatMap(({ server, trouble }) => (trouble === undefined ? [] : [{ server, trouble }]));
	const isNeeded = ({ isChosen, rootMarkers }: Server) =>
		isChosen || rootMarkers.some((marker) => [cwd, root].some((folder) => existsSync(join(folder, marker))));
	for (const { server, trouble } of broken.filter(({ server }) => isNeeded(server))) {
		yield {
			level: "warn",
			what: `The language server ${server.name} is installed, but does not start`,
			detail: trouble,
			remedy: `Install it again: ${server.install}`,
		};
	}
	const started = tried.filter(({ trouble }) => trouble === undefined).map(({ server }) => server.name);
	// A toolchain may install a command without the server behind it. That is a problem only if something here needs it.
	const others = broken.filter(({ server }) => !isNeeded(server));
	const detail = [
		...(started.length > 0 ? [started.join(", ")] : []),
		...others.map(({ server, trouble }) => `does not start, and is not needed here: ${server.name} (${trouble})`),
		...notTried.map(
			({ name, needsTrust }) => `found, not started, because this project is not trusted: ${name} ${needsTrust}`,
		),
	].join("\n");
	if (started.length > 0)
		yield pass(`${started.length === 1 ? "A language server starts" : "Language servers start"}`, detail);
	else if (detail !== "") yield pass("No language server was started", detail);
}
