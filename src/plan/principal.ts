import type { Config } from "../config/config.ts";
import { principalDir } from "../config/principal-dirs.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { quoted } from "../run/quoted.ts";
import type { Principal } from "./plan.ts";

/** Under whose account a user's own pi asks. */
export const REQUESTER = "main";

/** The principal a run is to work under, if the requester may target it. */
export function choosePrincipal(agentId: string | undefined, config: Config): Principal | Refusal {
	const id = agentId ?? REQUESTER;
	const { allowAny, ids } = allowedPrincipals(config);
	const isAllowed = id === REQUESTER || allowAny || ids.includes(id);
	const allowing = `agents.list[${REQUESTER}].subagents.allowAgents`;
	const configured = config.agents.list.find((principal) => principal.id === id);
	if (!configured) {
		const where = isAllowed ? "agents.list" : `agents.list and to ${allowing}`;
		return refuse(
			"INVALID_INPUT",
			`There is no agentId ${quoted(id)}. Add it to ${where} in pi-geon.json.`,
			"unknown_principal",
		);
	}
	if (!isAllowed) {
		return refuse(
			"SUBAGENT_DISABLED",
			`agentId ${quoted(id)} is not allowed here. Add it to ${allowing} in pi-geon.json.`,
			"forbidden_principal",
		);
	}
	return configured.agentDir === null ? { id } : { id, agentDir: principalDir(configured.agentDir) };
}

/** Whom the requester may target. */
export function allowedPrincipals(config: Config): { allowAny: boolean; ids: readonly string[] } {
	const allowed = config.agents.list.find((principal) => principal.id === REQUESTER)?.subagents.allowAgents ?? [
		REQUESTER,
	];
	return { allowAny: allowed.includes("*"), ids: allowed };
}
