import type { AgentDefinition } from "../agents/definition.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { GENERAL } from "./general.ts";

/** The refusal of a child that would have no tool at all. `wanted` has none that no child ever gets. */
export function noTools(agent: AgentDefinition, wanted: readonly string[]): Refusal {
	const who = agent === GENERAL ? "a child without an agent" : agent.name;
	return refuse(
		"SUBAGENT_DISABLED",
		`None of the tools of ${who} is available here. ${asked(agent, wanted)} ${remedy(agent)}`,
		"no_tools",
	);
}

function asked({ tools }: AgentDefinition, wanted: readonly string[]): string {
	if (tools.kind === "only")
		return `It asks for ${wanted.length === 0 ? "none that a child may have" : wanted.join(", ")}.`;
	if (wanted.length === 0) return "It takes over the parent's, which has none switched on that it may have.";
	return `Of the parent's it would take over ${wanted.join(", ")}.`;
}

/** What the user can change about it, which depends on where it comes from. */
function remedy(agent: AgentDefinition): string {
	const lists = "tools.subagents.tools";
	if (agent === GENERAL) return `Switch on the tools it needs in the parent, or look at ${lists} in pi-geon.json.`;
	// An edit of its file would be undone by the next update, and would not make it write either.
	if (agent.source === "builtin") {
		return `Install what provides them, or look at ${lists} and subagents.allowLspTools in pi-geon.json.`;
	}
	const rights = agent.readonly ? "" : "subagents.allowWrite and ";
	const fields = [
		agent.tools.kind === "only" ? "`tools`" : "`denied_tools`",
		...(agent.readonly ? ["`readonly`"] : []),
	].join(" or ");
	const provide = agent.tools.kind === "only" ? "Install what provides them" : "Switch on more tools in the parent";
	return `${provide}, or change ${fields} in ${agent.file}, or look at ${rights}${lists} in pi-geon.json.`;
}
