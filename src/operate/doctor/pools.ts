import { packageVersion } from "../../config/package-version.ts";
import { NO_LOG } from "../../log/log.ts";
import { messageOf } from "../../run/message-of.ts";
import type { Check, Finding } from "./check.ts";

/** Connects to each pool and has one of its workers answer. Says nothing, and loads nothing, where none is configured. */
export const checkPools: Check = {
	name: "pools",
	async *run({ sources, signal }) {
		const { pools } = sources.config.config;
		if (pools.length === 0) return;
		const [{ poolAddress }, { PoolDatabase }, { checkPool }] = await Promise.all([
			import("../../pool/address.ts"),
			import("../../pool/database.ts"),
			import("../../pool/check.ts"),
		]);
		for (const settings of pools) {
			const { name } = settings;
			try {
				const url = poolAddress(settings, sources);
				const database = await PoolDatabase.open({ url, name, log: NO_LOG });
				try {
					yield { level: "pass", what: `The database of pool ${name} can be reached` };
					yield* checkPool({ database, pool: name, version: packageVersion(), signal });
				} finally {
					await database.close();
				}
			} catch (error) {
				yield unreachable(name, error);
			}
		}
	},
};

const unreachable = (name: string, error: unknown): Finding => ({
	level: "fail",
	what: `Pool ${name} cannot be used`,
	detail: messageOf(error),
	remedy: "Runs that name it wait until it can be. docs/pool.md says what it needs.",
});
