import { packageVersion } from "../../config/package-version.ts";
import { messageOf } from "../../run/message-of.ts";
import type { Check, Finding } from "./check.ts";

/**
 * Connects to each pool and asks one of its workers for an answer. Reports nothing, and loads nothing, if none is
 * configured.
 */
export const checkPools: Check = {
	name: "pools",
	async *run({ sources, signal }) {
		const { pools } = sources.config.config;
		if (pools.length === 0) return;
		const [{ openPool }, { checkPool }] = await Promise.all([
			import("../../pool/open.ts"),
			import("../../pool/check.ts"),
		]);
		for (const settings of pools) {
			const { name } = settings;
			try {
				const database = await openPool(settings, sources);
				try {
					yield* checkPool({ database, pool: name, version: packageVersion(), signal });
				} finally {
					await database.close();
				}
			} catch (error) {
				yield unusable(name, error);
			}
		}
	},
};

const unusable = (name: string, error: unknown): Finding => ({
	level: "fail",
	what: `Pool ${name} cannot be used`,
	detail: messageOf(error),
	remedy: "Until then, its runs wait. docs/pool.md says what a pool needs.",
});
