import { knownServers } from "../../lsp/server/definition.ts";
import { findProgram } from "../../lsp/server/find-program.ts";
import { Workspace } from "../../lsp/workspace.ts";
import { type Check, pass } from "./check.ts";

/** Which language servers the lsp tool would find here. */
export const checkLanguageServers: Check = {
	name: "language servers",
	*run({ sources }) {
		const { catalog, config, cwd, env } = sources;
		const { lsp, subagents } = config.config;
		const users = catalog.agents.filter(({ tools }) => tools.kind === "only" && tools.names.includes("lsp"));
		const isUsed = lsp.enabled || (subagents.allowLspTools && users.length > 0);
		if (!isUsed) {
			yield pass("The lsp tool is not used");
			return;
		}
		const surroundings = { workspace: new Workspace(cwd), trusted: sources.isTrusted === true, env };
		const servers = knownServers(lsp.servers).map((server) => ({
			...server,
			program: findProgram(server, surroundings.workspace.cwd, surroundings),
			isChosen: lsp.servers.some(({ name }) => name === server.name),
		}));
		const found = servers.filter(({ program }) => program !== undefined);
		for (const { name, command, install } of servers.filter(({ isChosen, program }) => isChosen && !program)) {
			yield {
				level: "warn",
				what: `The language server ${name} of lsp.servers is not installed`,
				detail: `${command[0]} was not found.`,
				remedy: `Install it: ${install}`,
			};
		}
		if (found.length > 0) yield pass("Language servers", found.map(({ name }) => name).join(", "));
		else {
			// No problem in itself: agents have their other tools, and there may be nothing here that a server reads.
			const examples = servers.slice(0, 3).map(({ name, install }) => `${name}: ${install}`);
			yield pass("No language server is installed, so the lsp tool has nothing to ask", examples.join("\n"));
		}
	},
};
