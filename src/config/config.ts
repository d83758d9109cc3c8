import type { ThinkingLevel } from "../run/thinking.ts";

/** What a child may ever ask of a language server. None of them changes a file. */
export const LSP_ACTIONS = [
	"definition",
	"references",
	"hover",
	"signature",
	"symbols",
	"diagnostics",
	"workspace-diagnostics",
	"servers",
] as const;

export type LspAction = (typeof LSP_ACTIONS)[number];

/** The configuration in force: checked, complete and frozen. `null` means no limit, or no preference. */
export interface Config {
	subagents: {
		enabled: boolean;
		maxDepth: number;
		timeoutMs: number;
		idleTimeoutMs: number;
		/** Of one tool call, during which the idle limit stands still. */
		toolTimeoutMs: number;
		/** These three: of one run. */
		maxTurns: number | null;
		maxTokens: number | null;
		maxCostUsd: number | null;
		/** Of all runs of one parent session together. */
		session: { maxTokens: number | null; maxCostUsd: number | null };
		allowWrite: boolean;
		allowLspTools: boolean;
		allowedLspActions: readonly LspAction[];
		/** Names of agents that may not run. */
		disabled: readonly string[];
		injectDelegationPolicy: boolean;
		/** `maxAttempts` is the total, the first included. */
		retry: { enabled: boolean; maxAttempts: number };
	};
	agents: {
		defaults: {
			subagents: {
				model: string | null;
				thinking: ThinkingLevel | null;
				maxConcurrent: number;
				/** 0: never. */
				archiveAfterMinutes: number;
				/** 0: none of its own. */
				runTimeoutSeconds: number;
			};
		};
		/** Always holds `main`. */
		list: readonly Principal[];
	};
	tools: { subagents: { tools: { allow: readonly string[] | null; deny: readonly string[] } } };
	finalize: { maxCorrections: number };
	headless: { drainSeconds: number };
	retentionDays: number;
}

/** Under whose account and directory a run works. */
export interface Principal {
	id: string;
	/** As written in the file; null: the agent directory of this pi. */
	agentDir: string | null;
	subagents: {
		/** The principals it may target; `*` is any. */
		allowAgents: readonly string[];
		model: string | null;
	};
}
