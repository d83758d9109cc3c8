import { allowedPrincipals, type Requester } from "../plan/principal.ts";

export interface PrincipalList {
	requester: string;
	/** Whether every configured principal may be targeted. */
	allowAny: boolean;
	agents: { id: string; configured: boolean }[];
}

/** The principals under which a run may be requested. */
export function listPrincipals(from: Requester): PrincipalList {
	const { requester, allowAny, ids } = allowedPrincipals(from);
	const configured = from.config.agents.list.map(({ id }) => id);
	const allowed = allowAny ? configured : ids;
	const agents = [...new Set([requester, ...allowed])].map((id) => ({ id, configured: configured.includes(id) }));
	return { requester, allowAny, agents };
}
