import type { AgentDefinition } from "../../agents/definition.ts";
import { readToolEntry } from "../../agents/tool-names.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { NEVER, PI_TOOLS } from "../../plan/tools.ts";
import { nearest } from "../../run/nearest.ts";
import { type Check, type Finding, pass } from "./check.ts";

/** The tools that come with this package. */
const OURS = ["lsp", "web_search", "fetch_content", "get_search_content", "convert_content"] as const;

/** Whether there is such a tool as an agent or the configuration names. */
export const checkTools: Check = {
	name: "tools",
	*run({ sources: { catalog, config, tools } }) {
		const known = new Set<string>([...PI_TOOLS, ...(tools ?? OURS)]);
		const findings = [
			...catalog.agents.flatMap((agent) => findingOn(agent, known, tools !== undefined) ?? []),
			...inConfig(config, new Set([...known, ...NEVER]), tools !== undefined),
		];
		yield* findings;
		if (findings.length === 0) yield pass("All tools that are named exist");
	},
};

/** A misspelt name denies nothing, or allows nothing. */
function inConfig({ config, files }: LoadedConfig, known: ReadonlySet<string>, isInsidePi: boolean): Finding[] {
	const { allow, deny } = config.tools.subagents.tools;
	const named = { allow: allow ?? [], deny };
	return Object.entries(named).flatMap(([list, names]) =>
		names
			.filter((name) => !known.has(nameInPi(name)))
			.map((name): Finding => {
				const meant = nearest(name, [...known]);
				const who = isInsidePi || meant !== undefined ? "nobody provides" : "only a running pi knows";
				const otherwise = isInsidePi
					? "Correct the name, or install the extension that provides it."
					: "Run /toolkit doctor in pi to have it checked.";
				return {
					level: "warn",
					what: `tools.subagents.tools.${list} names a tool that ${who}: ${name}`,
					detail: files.join(", "),
					remedy: meant === undefined ? otherwise : `Did you mean ${meant}?`,
				};
			}),
	);
}

/** Of a name as Claude Code has it: `Bash`, `Bash(git:*)`. */
function nameInPi(written: string): string {
	const entry = readToolEntry(written);
	return entry.kind === "unusable" ? written : entry.name;
}

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
