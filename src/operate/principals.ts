import type { Services } from "../delegate.ts";
import { allowedPrincipals, REQUESTER } from "../plan/principal.ts";

export interface PrincipalList {
	requester: string;
	/** Every configured one may be targeted. */
	allowAny: boolean;
	agents: { id: string; configured: boolean }[];
}

/** Under whose account a run may be asked for. */
export function listPrincipals({ config }: Pick<Services, "config">): PrincipalList {
	const { allowAny, ids } = allowedPrincipals(config);
	const configured = config.agents.list.map(({ id }) => id);
	const allowed = allowAny ? configured : ids;
	const agents = [...new Set([REQUESTER, ...allowed])].map((id) => ({ id, configured: configured.includes(id) }));
	return { requester: REQUESTER, allowAny, agents };
}
