import type { Ring } from "./ring.ts";

/** What the language servers of a session are started in. */
export interface ServerRings {
	/** Servers of different keys are kept apart. */
	key: string;
	/** The ring of the servers of a folder. What they may keep, they keep in its `cache`. */
	open(root: string): Ring;
	/** Whether they are of no use after the run: they know its tree, which goes with it. */
	readonly endWithRun: boolean;
	/** Ends them. The tool that starts servers sets it. */
	end?: () => Promise<unknown>;
}

const LENT = Symbol.for("pi-geon.server-rings.1");

/** Shared by all entries of the process: the host lends, and the extension with the `lsp` tool borrows. */
function lent(): Map<string, ServerRings> {
	const shared = globalThis as { [LENT]?: Map<string, ServerRings> };
	shared[LENT] ??= new Map();
	return shared[LENT];
}

/** Until what it returns is called. */
export function lendRings(sessionId: string, rings: ServerRings): () => void {
	lent().set(sessionId, rings);
	return () => void lent().delete(sessionId);
}

export const ringsLentTo = (sessionId: string): ServerRings | undefined => lent().get(sessionId);
