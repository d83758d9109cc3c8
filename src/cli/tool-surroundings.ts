import { homedir } from "node:os";
import type { ToolSurroundings } from "../operate/tools-here.ts";
import { WriteConsents } from "../operate/write-consents.ts";
import { isUntrusted } from "../plan/untrusted.ts";
import { agentDir, configIn, places } from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

/** What can be known outside of pi about the tools that agents get in a directory. */
export function toolsOnFile(cwd: string): ToolSurroundings {
	const consents = new WriteConsents(places().writeConsents);
	const project = { cwd, homeDir: homedir(), isTrusted: trustOnFile(agentDir(), cwd) };
	return {
		config: configIn(cwd).config,
		pi: undefined,
		consent(agent) {
			if (isUntrusted(agent, project)) return "untrusted";
			return consents.of(agent) ? "given" : "not_asked";
		},
		writing(agent) {
			const always = consents.of(agent);
			return always && { always: always.since };
		},
	};
}
