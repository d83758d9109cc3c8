import type { PoolSettings } from "../config/config.ts";
import { type Log, NO_LOG } from "../log/log.ts";
import { PoolProblem, poolAddress } from "./address.ts";
import { PoolDatabase } from "./database.ts";
import { whyUnreachable } from "./unreachable.ts";

interface Opening {
	agentDir: string;
	env: NodeJS.ProcessEnv;
	log?: Log;
}

/** Connects to a pool for a command. Fails with `PoolProblem`, whose message is for the user. */
export async function openPool(settings: PoolSettings, { agentDir, env, log }: Opening): Promise<PoolDatabase> {
	return connectToPool({ url: poolAddress(settings, { agentDir, env }), name: settings.name, log: log ?? NO_LOG });
}

/** Like `openPool`, for a caller that has the address already. */
export async function connectToPool(to: { url: string; name: string; log: Log }): Promise<PoolDatabase> {
	try {
		return await PoolDatabase.open(to);
	} catch (error) {
		const { problem, remedy } = whyUnreachable(error);
		throw new PoolProblem(`The database of pool ${to.name} cannot be used: ${problem}. ${remedy}`);
	}
}
