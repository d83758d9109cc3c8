import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";

interface Enforcement {
	config: Config;
	/** Says why the kernel cannot enforce anything here, undefined if it can. Absent: not known here. */
	ringTrouble?: (() => Promise<string | undefined>) | undefined;
}

/**
 * An agent whose file restricts the network becomes read-only where nothing enforces the restriction: with a shell it would
 * reach the whole network.
 */
export async function keptToItsNetwork(
	agent: AgentDefinition,
	{ config, ringTrouble }: Enforcement,
): Promise<AgentDefinition> {
	if (agent.network === undefined || agent.network === "on" || agent.readonly) return agent;
	const isOff = config.subagents.sandbox.mode === "off";
	const why = isOff ? "subagents.sandbox.mode is off in pi-geon.json." : await ringTrouble?.();
	if (why === undefined) return agent;
	const message = `network cannot be enforced here, so the agent is read-only. ${why}`;
	return { ...agent, readonly: true, unenforced: ["network"], warnings: [...agent.warnings, message] };
}
