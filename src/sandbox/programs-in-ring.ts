import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { probeRing } from "./probe.ts";
import { openRing } from "./ring.ts";
import { type RanInRing, runInRing } from "./run-in-ring.ts";
import { removeScratch } from "./scratch.ts";

export interface ProgramsPlace {
	/** Where rings keep their folders. */
	scratch: string;
	/** What programs must not see, on top of what is hidden by default. */
	hidden: readonly string[];
}

type InRing = (
	command: readonly string[],
	options: {
		cwd: string;
		env: Record<string, string>;
		input?: string | Buffer;
		maxBytes?: number;
		signal?: AbortSignal;
	},
) => Promise<RanInRing>;

/** Long enough for the files that one run has written. */
const MOST_MS = 120_000;

/** Runs programs in a ring without network, in which only one folder is writable. Fails if there is no ring. */
export async function withProgramsInRing<T>(
	{ scratch: root, hidden }: ProgramsPlace,
	work: (inRing: (folder: string, readable: readonly string[]) => InRing) => Promise<T>,
): Promise<T> {
	const probe = await probeRing();
	if (!probe.can) throw new Error(`There is no sandbox to examine them in. ${probe.why}`);
	const scratch = join(root, `programs-${randomUUID()}`);
	const within = { hidden, scratch, network: "off", sockets: false, env: [] } as const;
	try {
		return await work((folder, readable) => {
			const ring = openRing({ ...within, abilities: probe.abilities, cwd: folder, writable: [folder], readable });
			return (command, options) => runInRing(ring, command, { timeoutMs: MOST_MS, ...options });
		});
	} finally {
		await removeScratch(scratch);
	}
}
