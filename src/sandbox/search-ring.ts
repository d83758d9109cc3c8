import { AsyncLocalStorage } from "node:async_hooks";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ring, ringScript } from "./ring.ts";

/**
 * The variable with the script that runs a program in the ring of the searching run. The scripts that replace ripgrep and fd
 * read it.
 */
export const SEARCH_RING = "PI_GEON_SEARCH_RING";

const searchUnderway = new AsyncLocalStorage<{ script: string }>();

/**
 * Does the work of a tool whose programs pi starts with this process's environment. Only programs that this work starts get
 * the variable, because several runs may search at once.
 */
export function inSearchRing<T>(ring: Ring, work: () => T): T {
	passRingToSearches();
	return searchUnderway.run({ script: scriptOf(ring) }, work);
}

/** Writes the script again if it has changed: a path that the ring hides may have appeared or disappeared. */
function scriptOf(ring: Ring): string {
	const file = join(ring.setup.scratch, "search.sh");
	const text = `unset ${SEARCH_RING}\n${ringScript(ring)}`;
	if (written.get(ring) !== text) writeFileSync(file, text, { mode: 0o600 });
	written.set(ring, text);
	return file;
}

const written = new WeakMap<Ring, string>();

let tellsSearches = false;

function passRingToSearches(): void {
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
