import type { AgentLimits } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import type { Limits } from "./plan.ts";

/** The limits of a run: an agent may ask for tighter ones than the configuration's, never for looser ones. */
export function effectiveLimits(agent: AgentLimits, config: Config): Limits {
	const { subagents, finalize } = config;
	return {
		timeoutMs: Math.min(subagents.timeoutMs, agent.timeoutMs ?? Number.POSITIVE_INFINITY),
		idleTimeoutMs: Math.min(subagents.idleTimeoutMs, agent.idleTimeoutMs ?? Number.POSITIVE_INFINITY),
		toolTimeoutMs: subagents.toolTimeoutMs,
		maxCorrections: finalize.maxCorrections,
		...only("maxTurns", tighter(subagents.maxTurns, agent.maxTurns)),
		...only("maxTokens", tighter(subagents.maxTokens, agent.maxTokens)),
		...only("maxCostUsd", tighter(subagents.maxCostUsd, agent.maxCostUsd)),
		parentSession: {
			...only("maxTokens", subagents.session.maxTokens),
			...only("maxCostUsd", subagents.session.maxCostUsd),
		},
	};
}

function tighter(config: number | null, agent: number | undefined): number | null {
	if (agent === undefined) return config;
	return config === null ? agent : Math.min(config, agent);
}

function only<Name extends string>(name: Name, value: number | null): Partial<Record<Name, number>> {
	return value === null ? {} : ({ [name]: value } as Record<Name, number>);
}
