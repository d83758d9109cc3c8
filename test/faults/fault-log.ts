import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineTrouble } from "./plan.ts";

/** A fault, as it is written down right before it happens. */
export interface LoggedFault {
	role: string;
	incarnation?: number;
	pid: number;
	/** Of its process: the how-manieth. */
	point?: number;
	place: string;
	when: string;
	kind: "kill" | "torn" | "suspend" | "disconnect" | "power cut" | MachineTrouble["kind"];
	forMs?: number;
	/** Milliseconds since 1970. */
	at: number;
}

export interface LoggedAppend {
	pid: number;
	file: string;
	entry?: string;
	at: number;
}

export interface LoggedProcess {
	role: string;
	incarnation: number;
	pid: number;
	at: number;
}

export const readFaults = (folder: string): LoggedFault[] => readLines(join(folder, "faults.jsonl"));
export const readAppends = (folder: string): LoggedAppend[] => readLines(join(folder, "appends.jsonl"));
export const readProcesses = (folder: string): LoggedProcess[] => readLines(join(folder, "processes.jsonl"));

export function noteFault(folder: string, fault: LoggedFault): void {
	appendFileSync(join(folder, "faults.jsonl"), `${JSON.stringify(fault)}\n`);
}

function readLines<Line>(file: string): Line[] {
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
	return lines.map((line) => JSON.parse(line) as Line);
}
