import { mkdirSync } from "node:fs";
import type { Places } from "../ledger/places.ts";

/**
 * The environment of a pi that we start, with a folder for Node's compile cache. Without one, pi keeps that cache in the
 * temp folder, where other users may write, and runs what it finds there. The user's own setting takes precedence.
 */
export function withCompileCache(
	env: Readonly<Record<string, string>>,
	places: Pick<Places, "compiled">,
): Record<string, string> {
	if (env.NODE_COMPILE_CACHE) return env;
	mkdirSync(places.compiled, { recursive: true, mode: 0o700 });
	return { ...env, NODE_COMPILE_CACHE: places.compiled };
}
