import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import type { SessionChoice } from "./continued.ts";
import { namedFallbacks } from "./fallbacks.ts";
import type { ParentFacts } from "./launch.ts";
import { chooseModel, type ModelWish } from "./model.ts";
import type { Principal } from "./plan.ts";

export interface ModelQuestion {
	agent: AgentDefinition;
	principal: Principal;
	config: Config;
	parent: Pick<ParentFacts, "model" | "modelSource" | "resolveModel" | "thinkingWith">;
	/** The model that the request names. */
	requested?: string | undefined;
	/** The session that the run works in, which keeps its model. */
	session?: Pick<SessionChoice, "last" | "changed">;
}

/** The model of a run: the first usable one of the named models, by precedence, or else the parent's. */
export function modelFor({
	agent,
	principal,
	config,
	parent,
	requested,
	session,
}: ModelQuestion): ReturnType<typeof chooseModel> {
	const { defaults, list } = config.agents;
	const ofFile: ModelWish[] = [{ from: agent.file, name: agent.model }];
	const byDefault: ModelWish[] = [{ from: "agents.defaults.subagents.model", name: defaults.subagents.model }];
	const { from, names } = namedFallbacks({ agent, config });
	// The list beside an unusable model is tried first.
	const beside = agent.fallbackModels ? ofFile : byDefault;
	if (beside[0]?.name) beside.push(...names.map((name) => ({ from, name })));
	const ofSession = { from: "this session", name: session?.last?.model, warnings: session?.last?.modelWarnings };
	return chooseModel(
		[
			{ from: "the request", name: requested },
			...(session?.changed ? [...ofFile, ofSession] : [ofSession, ...ofFile]),
			{
				from: `agents.list[${principal.id}].subagents.model`,
				name: list.find(({ id }) => id === principal.id)?.subagents.model,
			},
			...byDefault,
		],
		parent,
		(name) => parent.resolveModel(name, principal.agentDir),
	);
}

/** The model that the configuration names for runs of a principal whose agent and request name none. */
export const configuredModel = (principal: string, { agents }: Config): string | null =>
	agents.list.find(({ id }) => id === principal)?.subagents.model ?? agents.defaults.subagents.model;
