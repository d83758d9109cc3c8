import { allowedPrincipals, type Requester } from "../plan/principal.ts";

export interface PrincipalList {
	requester: string;
	/** Whether every configured principal may be targeted. */
	allowAny: boolean;
	agents: { id: string; name?: string; configured: boolean }[];
}

/** The principals under which a run may be requested. */
export function listPrincipals(from: Requester): PrincipalList {
	const { requester, allowAny, ids } = allowedPrincipals(from);
	const configured = new Map(from.config.agents.list.map(({ id, name }) => [id, name]));
	const allowed = allowAny ? [...configured.keys()] : ids;
	const agents = [...new Set([requester, ...allowed])].map((id) => {
		const name = configured.get(id) ?? undefined;
		return { id, ...(name !== undefined && { name }), configured: configured.has(id) };
	});
	return { requester, allowAny, agents };
}
