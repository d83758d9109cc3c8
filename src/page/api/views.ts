import type { LogLine } from "../../log/read-logs.ts";
import type { CostSum, CostSummary } from "../../operate/costs.ts";
import type { CheckResult } from "../../operate/doctor/check.ts";
import type { Fact } from "../../operate/report/layout.ts";
import type { PoolLook } from "../../run/pool-status.ts";

export type Costs = CostSummary;

export type CostRow = CostSum;

/** The configured pools, in the order of the configuration. */
export interface Pools {
	pools: PoolLook[];
}

export interface AgentsHere {
	cwd: string;
	isTrusted: boolean;
	agents: AgentRow[];
	/** Agents of the project that are not shown because it is not trusted. */
	untrusted: number;
	/** Problems of agent files. */
	problems: { severity: "error" | "warning"; text: string }[];
}

export interface AgentRow {
	name: string;
	source: string;
	readonly: boolean;
	description: string;
	file: string;
	/** The setting or line that disables it. */
	off?: string;
	/** The tools that it gets here. */
	tools: string[];
	model: string;
	/** Tools that it asks for and does not get, with the reason and the setting. */
	warnings: string[];
	/** All of it in words, in the order of `pi-geon agents`. */
	facts: Fact[];
}

export interface LogQuery {
	/** The id of a run, or its beginning. */
	run?: string;
	agent?: string;
	/** This level and more important ones. */
	level?: string;
	/** 1 to 1,000; 200 by default. */
	limit?: number;
}

/** Oldest first. */
export interface Logs {
	lines: LogLine[];
}

/** `event` → `data` of the stream `doctor`. The stream ends after `done`. */
export interface DoctorEvents {
	checking: { name: string };
	result: CheckResult;
	done: { failed: number; warned: number };
}
