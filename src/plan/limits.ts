import type { AgentDefinition, AgentLimits } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import type { Limits } from "./plan.ts";

export interface LimitWish {
	agent: Pick<AgentDefinition, "name" | "limits">;
	/** Whether the parent continues without waiting. */
	background: boolean;
	/** 0 or absent: no limit of its own. */
	runTimeoutSeconds?: number | undefined;
}

/**
 * The limits of a run. An agent or a request may ask for tighter limits than the configuration's, never for looser ones.
 */
export function effectiveLimits(wish: LimitWish, config: Config): { limits: Limits; warnings: string[] } {
	const { limits: own } = wish.agent;
	const { subagents, finalize } = config;
	const { timeoutMs, warnings } = hardCap(wish, config);
	const limits: Limits = {
		timeoutMs,
		idleTimeoutMs: Math.min(subagents.idleTimeoutMs, own.idleTimeoutMs ?? Number.POSITIVE_INFINITY),
		toolTimeoutMs: subagents.toolTimeoutMs,
		maxCorrections: finalize.maxCorrections,
		...only("maxTurns", tighter(subagents.maxTurns, own.maxTurns)),
		...only("maxTokens", tighter(subagents.maxTokens, own.maxTokens)),
		...only("maxCostUsd", tighter(subagents.maxCostUsd, own.maxCostUsd)),
		parentSession: {
			...only("maxTokens", subagents.session.maxTokens),
			...only("maxCostUsd", subagents.session.maxCostUsd),
		},
	};
	const cut = CONFIGURED.flatMap((name) => cutWarning(wish, { name, to: subagents[name], by: `subagents.${name}` }));
	return { limits, warnings: [...warnings, ...cut] };
}

/** Limits of an agent for which the configuration has one of the same name, for every kind of run. */
const CONFIGURED = ["idleTimeoutMs", "maxTurns", "maxTokens", "maxCostUsd"] as const;

/** The time limit of a run that continues a session, for which no time was requested. */
export const continuedFor = ({ agents }: Config): Pick<LimitWish, "runTimeoutSeconds"> => ({
	runTimeoutSeconds: agents.defaults.subagents.runTimeoutSeconds,
});

/** A foreground run has the shorter cap: the parent can do nothing meanwhile. */
function hardCap(wish: LimitWish, { subagents, agents }: Config): { timeoutMs: number; warnings: string[] } {
	const { agent, background, runTimeoutSeconds } = wish;
	const { maxRunSeconds } = agents.defaults.subagents;
	const requested = runTimeoutSeconds ? runTimeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
	const cap = background ? maxRunSeconds * 1000 : subagents.timeoutMs;
	const timeoutMs = Math.min(agent.limits.timeoutMs ?? Number.POSITIVE_INFINITY, requested, cap);
	const isCut = background && runTimeoutSeconds !== undefined && runTimeoutSeconds > maxRunSeconds;
	const warning = `runTimeoutSeconds ${runTimeoutSeconds} was cut to ${maxRunSeconds}, the value of agents.defaults.subagents.maxRunSeconds in pi-geon.json.`;
	const by = background ? "agents.defaults.subagents.maxRunSeconds" : "subagents.timeoutMs";
	// If the request asks for less than the cap, the cap does not cut anything.
	const cut = requested < cap ? [] : cutWarning(wish, { name: "timeoutMs", to: cap, by });
	return { timeoutMs, warnings: [...(isCut ? [warning] : []), ...cut] };
}

interface Cut {
	name: keyof AgentLimits;
	/** Null: not limited. */
	to: number | null;
	/** The setting. */
	by: string;
}

function cutWarning({ agent }: LimitWish, { name, to, by }: Cut): string[] {
	const asked = agent.limits[name];
	if (asked === undefined || to === null || asked <= to) return [];
	return [`${name} ${asked} in the file of ${agent.name} was cut to ${to}, the value of ${by} in pi-geon.json.`];
}

function tighter(config: number | null, agent: number | undefined): number | null {
	if (agent === undefined) return config;
	return config === null ? agent : Math.min(config, agent);
}

function only<Name extends string>(name: Name, value: number | null): Partial<Record<Name, number>> {
	return value === null ? {} : ({ [name]: value } as Record<Name, number>);
}
