import type { AgentDefinition } from "../../agents/definition.ts";
import { PI_TOOLS } from "../../plan/tools.ts";
import { type Check, type Finding, pass } from "./check.ts";

/** The tools that come with this package. */
const OURS = ["lsp", "web_search", "fetch_content", "get_search_content", "convert_content"] as const;

/** Whether there is such a tool as an agent names. */
export const checkTools: Check = {
	name: "tools",
	*run({ sources: { catalog, tools } }) {
		const known = new Set<string>([...PI_TOOLS, ...(tools ?? OURS)]);
		const findings = catalog.agents.flatMap((agent) => findingOn(agent, known, tools !== undefined) ?? []);
		yield* findings;
		if (findings.length === 0) yield pass("All tools that agents name exist");
	},
};

function findingOn(agent: AgentDefinition, known: ReadonlySet<string>, isInsidePi: boolean): Finding | undefined {
	const named = agent.tools.kind === "only" ? agent.tools.names : agent.tools.except;
	const missing = named.filter((name) => !known.has(name));
	if (missing.length === 0) return undefined;
	const detail = agent.file;
	if (!isInsidePi) {
		return {
			level: "warn",
			what: `${agent.name} names tools that only a running pi knows: ${missing.join(", ")}`,
			detail,
			remedy: "Run /toolkit doctor in pi to have them checked.",
		};
	}
	const isLeftWithNone = agent.tools.kind === "only" && missing.length === named.length;
	return {
		level: isLeftWithNone ? "fail" : "warn",
		what: `${agent.name} names ${missing.length === 1 ? "a tool" : "tools"} that nobody provides: ${missing.join(", ")}`,
		detail: isLeftWithNone ? `${detail}: without any tool it cannot run.` : detail,
		remedy: "Correct the name, or install the extension that provides it.",
	};
}
