import type { AgentDefinition } from "../agents/definition.ts";
import { type AgentCatalog, catalogFor } from "../agents/discover.ts";
import type { Config } from "../config/config.ts";
import { GENERAL } from "./general.ts";
import { continuedFor, effectiveLimits } from "./limits.ts";
import type { LaunchPlan, Limits } from "./plan.ts";

/** The agent of a plan as it is now. */
export function agentNow({ agent, definition }: LaunchPlan, catalog: AgentCatalog): AgentDefinition | undefined {
	if (definition.digest === GENERAL.digest) return GENERAL;
	return catalogFor(catalog, agent).agents.find(({ name }) => name === agent);
}

/**
 * Why the agent of a plan may not run any more, if its file says so. That file only: another one of the same name, of a
 * project perhaps that nobody trusts, has no say in it.
 */
export function switchedOffNow({ agent, definition }: LaunchPlan, catalog: AgentCatalog): string | undefined {
	const { agents, overridden } = catalogFor(catalog, agent);
	return [...agents, ...overridden].find(({ file }) => file === definition.file)?.switchedOff;
}

interface Before {
	plan: LaunchPlan;
	/** Whether nobody waited for it. */
	background: boolean;
	/** Its agent as it is now. */
	agent: AgentDefinition;
}

/** As the configuration has them now, for a background run, and in no more time than the session had in the background. */
export function limitsNow({ plan, background, agent }: Before, config: Config): Limits {
	const before = plan.backgroundTimeoutMs ?? (background ? plan.limits.timeoutMs : undefined);
	const wish = before === undefined ? continuedFor(config) : { runTimeoutSeconds: before / 1000 };
	return effectiveLimits({ agent: agent.limits, background: true, ...wish }, config).limits;
}
