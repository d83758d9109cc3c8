import type { AgentDefinition } from "../agents/definition.ts";

/** A child without a role: it does what it is told with the tools its parent has. */
export const GENERAL: AgentDefinition = {
	name: "general",
	description: "",
	readonly: false,
	tools: { kind: "inherit", except: [] },
	writtenAs: {},
	leftOut: [],
	warnings: [],
	limits: {},
	isolation: "shared",
	prompt:
		"You are a subagent. Another agent has given you one task. Do that task and nothing else, do not delegate it, " +
		"say what is uncertain, and report what you did and found.",
	source: "builtin",
	file: "no agent file",
	digest: "general",
};

/** True even if a request has changed part of it. */
export const isGeneral = ({ digest }: Pick<AgentDefinition, "digest">): boolean => digest === GENERAL.digest;
