import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../test/helpers/repository.ts";
import type { Machine } from "./machine.ts";
import type { PeersResult } from "./measure-peers.ts";
import type { Report } from "./report.ts";

/** Written by `npm run bench -- --save`. All figures of docs/performance.md are made from it. */
export const RESULTS_FILE = join(repositoryRoot, "bench", "results.json");

/** How many runs of each kind are kept: the page shows the middle one, and how far the others are from it. */
const KEPT = 3;

export interface BenchRun {
	machine: Machine;
	reports: Report[];
}

export interface Results {
	bench: BenchRun[];
	peers: PeersResult[];
}

export const readResults = (): Results =>
	existsSync(RESULTS_FILE) ? (JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results) : { bench: [], peers: [] };

/** The oldest goes when there are enough. */
export function keepResult<Kind extends keyof Results>(kind: Kind, run: Results[Kind][number]): void {
	const before = readResults();
	const kept = { ...before, [kind]: [...before[kind], run].slice(-KEPT) };
	writeFileSync(RESULTS_FILE, `${JSON.stringify(kept, null, "\t")}\n`);
}
