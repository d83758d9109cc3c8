import type { AgentDefinition } from "../agents/definition.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { nameOf } from "./left-out.ts";

/** The refusal of a child that would have no tools, with the reasons. */
export function noTools(agent: AgentDefinition, warnings: readonly string[]): Refusal {
	const why = warnings.length > 0 ? warnings.join(" ") : nothingAsked(agent);
	return refuse("SUBAGENT_DISABLED", `None of the tools of ${nameOf(agent)} is available here. ${why}`, "no_tools");
}

function nothingAsked({ tools, file }: AgentDefinition): string {
	if (tools.kind === "only") return `It asks for none: change \`tools\` in ${file}.`;
	return "It inherits the parent's tools, and the parent has no tool switched on that it may use.";
}
