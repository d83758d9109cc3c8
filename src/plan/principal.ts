import type { Config } from "../config/config.ts";
import { principalDir } from "../config/principal-dirs.ts";
import { MAIN } from "../config/principals.ts";
import { realPath } from "../files/real-path.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { quoted } from "../run/quoted.ts";
import type { Principal } from "./plan.ts";

/** The facts that identify the requesting principal. */
export interface Requester {
	config: Config;
	/** The agent directory of the pi that asks. */
	agentDir: string;
}

/** The principal that a run works under, or a refusal if the requester may not target it. */
export function choosePrincipal(agentId: string | undefined, from: Requester): Principal | Refusal {
	const { requester, allowAny, ids } = allowedPrincipals(from);
	const id = agentId ?? requester;
	const isAllowed = id === requester || allowAny || ids.includes(id);
	const allowing = `agents.list[${requester}].subagents.allowAgents`;
	const configured = from.config.agents.list.find((principal) => principal.id === id);
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

/** Which principal asks, and which ones it may target besides itself. */
export function allowedPrincipals(from: Requester): { requester: string; allowAny: boolean; ids: readonly string[] } {
	const requester = requesterOf(from);
	const ids = from.config.agents.list.find(({ id }) => id === requester)?.subagents.allowAgents ?? [requester];
	return { requester, allowAny: ids.includes("*"), ids };
}

/** A pi that was started in the directory of a principal asks under its name; every other pi is `main`. */
function requesterOf({ config, agentDir }: Requester): string {
	const here = realPath(agentDir);
	const own = config.agents.list.find(
		({ id, agentDir: written }) => id !== MAIN.id && written !== null && realPath(principalDir(written)) === here,
	);
	return own?.id ?? MAIN.id;
}
