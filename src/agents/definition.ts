import type { Isolation } from "../run/isolation.ts";
import type { ThinkingLevel } from "../run/thinking.ts";

export type AgentSource = "builtin" | "user" | "project";

/** `only` with no names grants nothing: it is refused at launch, never read as "all tools". */
export type ToolSelection = { kind: "only"; names: string[] } | { kind: "inherit"; except: string[] };

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
	readonly: boolean;
	tools: ToolSelection;
	/** Absent: the parent's. */
	model?: string;
	thinking?: ThinkingLevel;
	limits: AgentLimits;
	isolation: Isolation;
	/** A JSON Schema for the finalized result. */
	outputSchema?: Record<string, unknown>;
	/** The system prompt. */
	prompt: string;
	source: AgentSource;
	file: string;
	/** Of the file's text, to tell on a resume whether the definition changed. */
	digest: string;
}
