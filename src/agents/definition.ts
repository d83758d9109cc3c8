import type { Isolation } from "../run/isolation.ts";
import type { NetworkSetting } from "../run/network.ts";
import type { StartingContext } from "../run/starting-context.ts";
import type { ThinkingLevel } from "../run/thinking.ts";

export type AgentSource = "builtin" | "user" | "project";

/** `only` without names grants nothing: such an agent is refused at launch, and never gets all tools. */
export type ToolSelection =
	/** `except` removes single tools from those of an MCP server that is named as a whole. */
	{ kind: "only"; names: string[]; except?: string[] } | { kind: "inherit"; except: string[] };

/**
 * An entry of the file's tool lists that cannot be applied exactly. The child does not get the tool, under any configuration.
 */
export type LeftOutTool = {
	/** As the file has it: `Bash(git:*)`. */
	written: string;
} & (
	| {
			/** It allows or denies some uses of a tool. */
			why: "allows_some_uses" | "denies_some_uses";
			/** pi's name of the tool. */
			tool: string;
	  }
	| { why: "not_a_name" }
);

export interface AgentLimits {
	maxTurns?: number;
	timeoutMs?: number;
	idleTimeoutMs?: number;
	maxCostUsd?: number;
	maxTokens?: number;
}

/** A role that a run can take: one markdown file, checked. */
export interface AgentDefinition {
	name: string;
	description: string;
	/** Also true if the file has a restriction that cannot be enforced here. */
	readonly: boolean;
	/** The fields with such restrictions, if they alone make the agent read-only. */
	unenforced?: string[];
	tools: ToolSelection;
	/** pi's name of a tool → the word in the file, if they differ: `find` → `Glob`. */
	writtenAs: Record<string, string>;
	leftOut: LeftOutTool[];
	/** What else the file asks for but the child does not get, in whole sentences for the result of every run. */
	warnings: string[];
	/** Why the agent may not run, if its own file says so: `enabled: false`. */
	switchedOff?: string;
	/** Absent: the parent's. */
	model?: string;
	/** Names of models to continue with when the model cannot be used. Absent: as configured. */
	fallbackModels?: string[];
	thinking?: ThinkingLevel;
	/** Names of pi's skills that it can see, or all of them. Absent: none. */
	skills?: string[] | "all";
	/** Absent: `fresh`. */
	context?: StartingContext;
	/** Whether it may ask the user. */
	ask?: true;
	/** The pool whose workers do its runs. Absent: as configured. */
	pool?: string;
	limits: AgentLimits;
	isolation: Isolation;
	/** The network of the processes that its tools start. Absent: as configured. */
	network?: NetworkSetting;
	/** A JSON Schema for the finalized result. */
	outputSchema?: Record<string, unknown>;
	/** The system prompt. */
	prompt: string;
	source: AgentSource;
	file: string;
	/** The digest of the file's text, which shows on a resume whether the definition has changed. */
	digest: string;
}
