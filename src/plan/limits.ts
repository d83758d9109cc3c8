import type { AgentLimits } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import type { Limits } from "./plan.ts";

export interface LimitWish {
	agent: AgentLimits;
	/** Whether the parent continues without waiting. */
	background: boolean;
	/** 0 or absent: no limit of its own. */
	runTimeoutSeconds?: number | undefined;
}

/**
 * The limits of a run. An agent or a request may ask for tighter limits than the configuration's, never for looser ones.
 */
export function effectiveLimits(wish: LimitWish, config: Config): { limits: Limits; warnings: string[] } {
	const { agent } = wish;
	const { subagents, finalize } = config;
	const { timeoutMs, warnings } = hardCap(wish, config);
	const limits: Limits = {
		timeoutMs,
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
	return { limits, warnings };
}

/** The time limit of a run that continues a session, for which no time was requested. */
export const continuedFor = ({ agents }: Config): Pick<LimitWish, "runTimeoutSeconds"> => ({
	runTimeoutSeconds: agents.defaults.subagents.runTimeoutSeconds,
});

/** A foreground run has the shorter cap: the parent can do nothing meanwhile. */
function hardCap(
	{ agent, background, runTimeoutSeconds }: LimitWish,
	{ subagents, agents }: Config,
): { timeoutMs: number; warnings: string[] } {
	const { maxRunSeconds } = agents.defaults.subagents;
	const own = runTimeoutSeconds ? runTimeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
	const cap = background ? maxRunSeconds * 1000 : subagents.timeoutMs;
	const timeoutMs = Math.min(agent.timeoutMs ?? Number.POSITIVE_INFINITY, own, cap);
	const isCut = background && runTimeoutSeconds !== undefined && runTimeoutSeconds > maxRunSeconds;
	const warning = `runTimeoutSeconds ${runTimeoutSeconds} was cut to ${maxRunSeconds}, the value of agents.defaults.subagents.maxRunSeconds in pi-geon.json.`;
	return { timeoutMs, warnings: isCut ? [warning] : [] };
}

function tighter(config: number | null, agent: number | undefined): number | null {
	if (agent === undefined) return config;
	return config === null ? agent : Math.min(config, agent);
}

function only<Name extends string>(name: Name, value: number | null): Partial<Record<Name, number>> {
	return value === null ? {} : ({ [name]: value } as Record<Name, number>);
}
