import { mkdirSync } from "node:fs";
import type { Places } from "../ledger/places.ts";

/**
 * The environment of a pi that we start, with a place for what Node compiles of it. Without one, pi keeps that in the temp
 * folder, which other users may write to, and what is there is run. A user who names a place means it.
 */
export function withCompileCache(
	env: Readonly<Record<string, string>>,
	places: Pick<Places, "compiled">,
): Record<string, string> {
	if (env.NODE_COMPILE_CACHE) return env;
	mkdirSync(places.compiled, { recursive: true, mode: 0o700 });
	return { ...env, NODE_COMPILE_CACHE: places.compiled };
}
