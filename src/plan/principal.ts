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
	if (id !== REQUESTER && !allowAny && !ids.includes(id)) {
		return refuse(
			"SUBAGENT_DISABLED",
			`agentId ${quoted(id)} is not allowed here. Add it to agents.list[${REQUESTER}].subagents.allowAgents in pi-geon.json.`,
			"forbidden_principal",
		);
	}
	const configured = config.agents.list.find((principal) => principal.id === id);
	if (!configured) {
		return refuse(
			"INVALID_INPUT",
			`There is no agentId ${quoted(id)}. Add it to agents.list in pi-geon.json.`,
			"unknown_principal",
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
