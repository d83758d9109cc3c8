import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import { coversHost, type NetworkSetting, narrowerNetwork } from "../run/network.ts";
import type { WriteScope } from "../run/sandbox-report.ts";
import { listed } from "./left-out.ts";

interface Enforcement {
	config: Config;
	/** Says why the kernel cannot enforce anything here, undefined if it can. Absent: not known here. */
	ringTrouble?: (() => Promise<string | undefined>) | undefined;
}

/**
 * An agent whose file restricts the network becomes read-only where nothing enforces the restriction: with a shell it would
 * reach the whole network.
 */
export async function withEnforceableNetwork(
	agent: AgentDefinition,
	{ config, ringTrouble }: Enforcement,
): Promise<AgentDefinition> {
	if (!restrictsNetwork(agent)) return agent;
	const isOff = config.subagents.sandbox.mode === "off";
	return readOnlyUnlessEnforced(agent, isOff ? SANDBOX_OFF : await ringTrouble?.());
}

export const SANDBOX_OFF = "subagents.sandbox.mode is off in pi-geon.json.";

/** The same where it is known already why the kernel cannot enforce anything. */
export function readOnlyUnlessEnforced(agent: AgentDefinition, why: string | undefined): AgentDefinition {
	if (why === undefined || !restrictsNetwork(agent)) return agent;
	const message = `network cannot be enforced here, so the agent is read-only. ${why}`;
	return { ...agent, readonly: true, unenforced: ["network"], warnings: [...agent.warnings, message] };
}

const restrictsNetwork = ({ network, readonly }: AgentDefinition): boolean =>
	network !== undefined && network !== "on" && !readonly;

/** The network setting in an agent's file, and the source of that file. */
export type NetworkWish = Pick<AgentDefinition, "network" | "source">;

/**
 * The configuration is the default. The user's own files and the built-in ones may override it; a project's may only narrow
 * it.
 */
export function networkFor({ network, source }: NetworkWish, config: Config, write: WriteScope): NetworkSetting {
	const set = config.subagents.sandbox.network;
	// An empty list allows nothing.
	const configured = set?.length === 0 ? "off" : set;
	const byDefault = configured ?? (write === "checkout" ? "on" : "off");
	if (network === undefined) return byDefault;
	return source === "project" ? narrowerNetwork(byDefault, network) : network;
}

/** Says that an agent gets less of the network than its file asks for. */
export function networkWarnings(agent: AgentDefinition, config: Config, write: WriteScope): string[] {
	const { name, network: wanted } = agent;
	// Without a sandbox, the whole network can be reached.
	if (wanted === undefined || config.subagents.sandbox.mode === "off") return [];
	const granted = networkFor(agent, config, write);
	if (!isLess(granted, wanted)) return [];
	return [
		`\`network: ${networkInWords(wanted)}\` in the file of ${name} was narrowed to ${networkInWords(granted)}: a project's file may not go beyond subagents.sandbox.network in pi-geon.json.`,
	];
}

export const networkInWords = (network: NetworkSetting): string =>
	typeof network === "string" ? network : listed(network);

/** Whether less of the network is granted than is wanted. */
export function isLess(granted: NetworkSetting, wanted: NetworkSetting): boolean {
	if (wanted === "off" || granted === "on") return false;
	if (wanted === "on") return true;
	const hosts = granted === "off" ? [] : granted;
	return wanted.some((host) => !hosts.some((pattern) => coversHost(pattern, host)));
}
