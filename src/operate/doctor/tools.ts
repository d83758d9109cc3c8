import type { AgentDefinition } from "../../agents/definition.ts";
import { readToolEntry } from "../../agents/tool-names.ts";
import { matches } from "../../agents/tool-patterns.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { STANDS_FOR_BASH } from "../../config/tool-lists.ts";
import { OUR_TOOLS } from "../../log/tool-uses.ts";
import { NEVER } from "../../plan/tools.ts";
import { nearest } from "../../run/nearest.ts";
import { isMcpTool, PI_TOOLS } from "../../run/pi-tools.ts";
import { writingInWords } from "../report/agents.ts";
import { type ToolSurroundings, toolsHere, whyOff, withKernel, writingHere } from "../tools-here.ts";
import { type Check, type Finding, pass } from "./check.ts";

/** Whether each agent gets the tools that it asks for, and whether the tools named in the configuration exist. */
export const checkTools: Check = {
	name: "tools",
	async *run({ sources: { catalog, config, tools: onFile } }) {
		const tools = await withKernel(onFile);
		const ofPi = tools.pi?.known.map(({ name }) => name);
		const known = [...PI_TOOLS, ...(ofPi ?? OUR_TOOLS)];
		const isOn = (agent: AgentDefinition) => whyOff(agent, tools.config) === undefined;
		const findings = [
			...catalog.agents
				.filter(isOn)
				.flatMap((agent) => [...onAgent(agent, tools), ...onDenied(agent, known, ofPi !== undefined)]),
			...inConfig(config, [...known, ...NEVER], ofPi !== undefined),
		];
		yield* findings;
		yield* catalog.agents.flatMap((agent) => [...isOff(agent, tools), ...mayWrite(agent, tools)]);
		if (findings.length === 0) yield pass("Every agent gets the tools that it asks for");
	},
};

/** The tools that an agent asks for and does not get here. */
function onAgent(agent: AgentDefinition, surroundings: ToolSurroundings): Finding[] {
	const { tools, refused, unsure, warnings, asksFor } = toolsHere(agent, surroundings);
	const { file } = agent;
	if (refused !== undefined) {
		return [{ level: "fail", what: `${agent.name} cannot run here`, detail: [refused, ...warnings, file].join("\n") }];
	}
	if (tools.length === 0) {
		const detail = [...warnings, `${file}: without any tool it cannot run.`].join("\n");
		return [{ level: "fail", what: `${agent.name} gets none of the tools that it asks for`, detail }];
	}
	const findings: Finding[] = [];
	if (warnings.length > 0) {
		const detail = [...warnings, file].join("\n");
		findings.push({
			level: "warn",
			what: `${agent.name} gets ${tools.join(", ")}, but not everything that it asks for`,
			detail,
			...(asksFor.length > 0 && { remedy: "In a terminal, pi asks you about it when it runs." }),
		});
	}
	if (unsure.length > 0) {
		findings.push({
			level: "warn",
			what: `${agent.name} names tools that only a running pi knows: ${unsure.join(", ")}`,
			detail: file,
			remedy: "Run /toolkit doctor in pi to have them checked.",
		});
	}
	return findings;
}

/** A misspelt name denies nothing. A name that this pi does not know may belong to another program, and does no harm. */
function onDenied({ name, tools, file }: AgentDefinition, known: readonly string[], isInsidePi: boolean): Finding[] {
	if (tools.kind === "only" || !isInsidePi) return [];
	return tools.except.flatMap((entry): Finding[] => {
		const meant = nearest(entry, known);
		if (known.some((tool) => matches(entry, tool)) || meant === undefined) return [];
		return [
			{
				level: "warn",
				what: `${name} denies a tool that this pi does not have: ${entry}`,
				detail: file,
				remedy: `Did you mean ${meant}?`,
			},
		];
	});
}

function isOff(agent: AgentDefinition, { config }: ToolSurroundings): Finding[] {
	const why = whyOff(agent, config);
	return why === undefined ? [] : [pass(`${agent.name} is switched off, so it does not run`, why)];
}

function mayWrite(agent: AgentDefinition, surroundings: ToolSurroundings): Finding[] {
	const said = writingHere(agent, surroundings);
	if (said === undefined || said === "refused") return [];
	const inWords = writingInWords(said, `/toolkit agents forget ${agent.name}`);
	return [pass(`${agent.name} may write in your checkout ${inWords}`, agent.file)];
}

/** A misspelt name denies nothing, or allows nothing. */
function inConfig({ config, files }: LoadedConfig, known: readonly string[], isInsidePi: boolean): Finding[] {
	const { allow, deny } = config.tools.subagents.tools;
	const named = {
		"tools.subagents.tools.allow": allow ?? [],
		"tools.subagents.tools.deny": deny,
		"subagents.readonlyTools": config.subagents.readonlyTools,
	};
	const detail = files.join(", ");
	return Object.entries(named).flatMap(([setting, names]) =>
		names.flatMap((name): Finding[] => {
			const entry = nameInPi(name);
			if (setting === "subagents.readonlyTools" && !isMcpTool(entry)) {
				const remedy = "Only MCP tools can be declared read-only: mcp__<server>, or mcp__<server>__<tool>.";
				return [{ level: "warn", what: `${setting} names something that is not an MCP tool: ${name}`, detail, remedy }];
			}
			// The entry also denies bash, and the problem was already reported for its file.
			const isBash = setting !== "subagents.readonlyTools" && STANDS_FOR_BASH.includes(name);
			if (isBash || known.some((tool) => matches(entry, tool))) return [];
			const meant = nearest(name, known);
			const what = isInsidePi || meant !== undefined ? "no such tool" : "a tool that only a running pi knows";
			const otherwise = isInsidePi
				? "Correct the name, or install the extension that provides it."
				: "Run /toolkit doctor in pi to have it checked.";
			return [
				{
					level: "warn",
					what: `${setting}: ${what}: ${name}`,
					detail,
					remedy: meant === undefined ? otherwise : `Did you mean ${meant}?`,
				},
			];
		}),
	);
}

/** The name of a tool as Claude Code writes it: `Bash`, `Bash(git:*)`. */
function nameInPi(written: string): string {
	const entry = readToolEntry(written);
	return entry.kind === "unusable" ? written : entry.name;
}
