import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import type { SessionChoice } from "./continued.ts";
import type { ParentFacts } from "./launch.ts";
import { chooseModel } from "./model.ts";
import type { Principal } from "./plan.ts";

export interface ModelQuestion {
	agent: AgentDefinition;
	principal: Principal;
	config: Config;
	parent: Pick<ParentFacts, "model" | "modelSource" | "resolveModel">;
	/** The model that the request names. */
	requested?: string | undefined;
	/** The session that the run works in, which keeps its model. */
	session?: Pick<SessionChoice, "last" | "changed">;
}

/** The model of a run: the first usable one of those that were named, by precedence, else the parent's. */
export function modelFor({
	agent,
	principal,
	config,
	parent,
	requested,
	session,
}: ModelQuestion): ReturnType<typeof chooseModel> {
	const { defaults, list } = config.agents;
	const ofFile = { from: agent.file, name: agent.model };
	const ofSession = { from: "this session", name: session?.last?.model, warnings: session?.last?.modelWarnings };
	return chooseModel(
		[
			{ from: "the request", name: requested },
			...(session?.changed ? [ofFile, ofSession] : [ofSession, ofFile]),
			{
				from: `agents.list[${principal.id}].subagents.model`,
				name: list.find(({ id }) => id === principal.id)?.subagents.model,
			},
			{ from: "agents.defaults.subagents.model", name: defaults.subagents.model },
		],
		parent,
		(name) => parent.resolveModel(name, principal.agentDir),
	);
}
