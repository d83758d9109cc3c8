import { AsyncLocalStorage } from "node:async_hooks";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ring, ringScript } from "./ring.ts";

/**
 * The variable that tells the scripts in place of ripgrep and fd which script runs a program in the ring of the searching
 * run.
 */
export const SEARCH_RING = "PI_GEON_SEARCH_RING";

const searchUnderway = new AsyncLocalStorage<{ script: string }>();

/**
 * Does the work of a tool whose programs pi starts with the environment of this process. Several runs may search at once,
 * so only programs started by this work get the variable.
 */
export function inSearchRing<T>(ring: Ring, work: () => T): T {
	tellSearches();
	return searchUnderway.run({ script: scriptOf(ring) }, work);
}

/** Written again if it has changed: a path that the ring hides may exist now, or no longer. */
function scriptOf(ring: Ring): string {
	const file = join(ring.setup.scratch, "search.sh");
	const text = `unset ${SEARCH_RING}\n${ringScript(ring)}`;
	if (written.get(ring) !== text) writeFileSync(file, text, { mode: 0o600 });
	written.set(ring, text);
	return file;
}

const written = new WeakMap<Ring, string>();

let tellsSearches = false;

function tellSearches(): void {
	if (tellsSearches) return;
	tellsSearches = true;
	const { env } = process;
	Object.defineProperty(process, "env", {
		configurable: true,
		enumerable: true,
		get: () => {
			const search = searchUnderway.getStore();
			return search ? { ...env, [SEARCH_RING]: search.script } : env;
		},
	});
}
