import { createHash } from "node:crypto";
import { mkdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ServerRings } from "../sandbox/lent-rings.ts";
import { hiddenPaths, openRing, type Ring } from "../sandbox/ring.ts";

/**
 * The rings of the language servers of a run. Hosts keep servers for the next run, so each project has a folder for them
 * that outlives the run. Servers only read, and have no network: they use what is already installed.
 */
export function serverRings(ring: () => Ring, { inTree }: { inTree: boolean }): ServerRings {
	return {
		endWithRun: inTree,
		get key() {
			const { hidden, readable } = ring().setup;
			return JSON.stringify([hidden, readable]);
		},
		hidden: () => hiddenPaths(ring()),
		open: (root) => {
			const { setup } = ring();
			const id = createHash("sha256").update(root).digest("hex").slice(0, 16);
			const scratch = join(dirname(setup.scratch), `servers-${id}`);
			const [cache, commands] = [join(scratch, "cache"), join(scratch, "clangd")];
			// clangd keeps its index beside the compile commands. It must not write the commands themselves: they could
			// then mislead us.
			const writable = [cache, join(commands, ".cache")];
			for (const folder of writable) mkdirSync(folder, { recursive: true, mode: 0o700 });
			utimesSync(scratch, new Date(), new Date());
			const readable = [...setup.readable, root, commands];
			return openRing({ ...setup, cwd: root, writable, readable, scratch, network: "off", sockets: false, env: [] });
		},
	};
}
