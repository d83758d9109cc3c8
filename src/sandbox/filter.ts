import { openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ring, RingSetup } from "./ring.ts";
import { socketFilter } from "./seccomp.ts";

const openFilters = new Map<boolean, number>();

/**
 * A descriptor of the filter of system calls. bubblewrap reads from the current position of a descriptor, so each command
 * needs its own. The file is created once per process: creating one takes ten times as long as opening it.
 */
export function openFilter({ setup: { scratch, sockets } }: Ring): number {
	let kept = openFilters.get(sockets);
	if (kept === undefined) {
		const file = join(scratch, "open.bpf");
		writeFileSync(file, filterOf({ sockets }), { mode: 0o600 });
		kept = openSync(file, "r");
		unlinkSync(file);
		openFilters.set(sockets, kept);
	}
	return openSync(`/proc/self/fd/${kept}`, "r");
}

const filterFiles = new WeakMap<Ring, string>();

/** A file with the filter, for a program that others start. A file of an earlier attempt may come from an older version. */
export function filterFile(ring: Ring): string {
	const { scratch, sockets } = ring.setup;
	let file = filterFiles.get(ring);
	if (file === undefined) {
		file = join(scratch, sockets ? "sockets.bpf" : "no-sockets.bpf");
		// Rings of language servers share a folder: another server may be reading the file.
		const whole = `${file}.${process.pid}`;
		writeFileSync(whole, filterOf({ sockets }), { mode: 0o600 });
		renameSync(whole, file);
		filterFiles.set(ring, file);
	}
	return file;
}

export function filterOf({ sockets }: Pick<RingSetup, "sockets">): Buffer {
	const program = socketFilter({ sockets });
	if (!program) throw new Error(`There is no filter of system calls for ${process.arch}.`);
	return program;
}
