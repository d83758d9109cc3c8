import { readFileSync } from "node:fs";
import type { Home } from "../test/helpers/home.ts";
import { processesOf } from "../test/helpers/leaks.ts";

/** Bytes that the processes of a home occupy, shared pages counted in proportion. */
export function memoryOf(home: Home): number {
	return processesOf(home)
		.map(({ pid }) => proportionalSize(pid))
		.reduce((sum, bytes) => sum + bytes, 0);
}

export function proportionalSize(pid: number): number {
	try {
		const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
		return Number(kilobytes) * 1024;
	} catch (error) {
		if (error instanceof Error && "code" in error) return 0; // Gone meanwhile.
		throw error;
	}
}

/** Watches the memory of a home's processes; `stop` answers the most there was. */
export function watchMemory(home: Home): { stop: () => number } {
	let peak = 0;
	const timer = setInterval(() => {
		peak = Math.max(peak, memoryOf(home));
	}, 250);
	return {
		stop() {
			clearInterval(timer);
			return Math.max(peak, memoryOf(home));
		},
	};
}
