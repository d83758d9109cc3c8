import type { SessionId } from "../run/ids.ts";
import type { Isolation } from "../run/isolation.ts";
import type { WriteScope } from "../run/sandbox-report.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { TraceContext } from "../run/trace-context.ts";

/**
 * Everything a child needs to know, decided before the run is admitted and never changed afterwards. It is stored with
 * the run, so that a host started tomorrow on another attempt does what was agreed today.
 */
export interface LaunchPlan {
	agent: string;
	/** The agent's source and content at that time; a resume compares the digest. */
	definition: { source: "builtin" | "user" | "project"; file: string; digest: string };
	task: string;
	/** The child's system prompt. */
	prompt: string;
	cwd: string;
	/** Whether the working directory's own settings may be used, as the parent decided at that time. */
	projectTrusted: boolean;
	/** The tools the child has, besides the internal one that ends its work. Never empty. */
	tools: string[];
	/** Extension files that provide those tools which are not pi's own. */
	extensions: string[];
	/**
	 * Which extension provides which tool, so that a run that continues with fewer tools loads only the extensions those
	 * need.
	 */
	extensionOf?: Record<string, string>;
	lspActions: string[];
	/** The skills that the child can see. Absent: none. Anything that hides files from a child must leave these readable. */
	skills?: PlannedSkill[];
	model: ModelChoice;
	/** Tried one after the other, in the same session, once the model before cannot be used. */
	fallbackModels?: FallbackModel[];
	/** The warnings from when the model was chosen. A run that keeps the model repeats them. */
	modelWarnings?: string[];
	thinking?: ThinkingLevel;
	limits: Limits;
	/** Only in the plan of a foreground run: the time limit for a background run that continues its session. */
	backgroundTimeoutMs?: number;
	/** `process`: in a host of its own, so that a crash takes no other run with it. */
	isolation: Isolation;
	/**
	 * How many attempts the run may have: each host that claims it counts, and each retry after a failure of the provider.
	 */
	maxAttempts: number;
	/** How long a question of the child stays open without its parent. Absent: it cannot ask. */
	askMinutes?: number;
	/** Absent in plans from before there was one. */
	sandbox?: PlannedSandbox;
	/** The tree that it writes in. Absent: none. */
	tree?: PlannedTree;
	/** Workers on other machines do it. Absent: a host of this machine does. */
	pool?: PlannedPool;
	/** The run came here from a pool: its requester continues with messages that it did not receive. */
	guest?: true;
	/** How long workers on other machines had worked on a guest before: its time limit counts from the first of them. */
	workedMs?: number;
	/** A JSON Schema the finalized result must satisfy. */
	outputSchema?: Record<string, unknown>;
	/** Runs once, when the run has finished. */
	stopHook?: HookProgram;
	session: ChildSession;
	/** Under whose account it runs. */
	principal: Principal;
	/**
	 * What happens to the transcript once the outcome has been announced. A parent's session that is not kept cannot be
	 * opened again: outcomes that it has not received before its pi exits are never delivered.
	 */
	afterwards: { cleanup: "keep" | "delete"; archiveAfterMinutes: number; parentKept: boolean };
	/** The span of another program that started this pi. Absent: none is known. */
	trace?: TraceContext;
	/** The user asked for it, not the model: its report starts no turn. */
	byUser?: true;
	/** Where the embedding application wants the announce to go; never inspected. */
	route?: unknown;
	/** The warnings from planning, which the requester gets with the result. */
	warnings: string[];
}

export interface PlannedPool {
	name: string;
	/** How many attempts a worker's machine may make. `maxAttempts` counts those of this machine, which only waits. */
	maxAttempts: number;
}

/** What the kernel should enforce. */
export interface PlannedSandbox {
	/** `auto`: where the kernel can. `require`: the run does not start without enforcement. */
	mode: "off" | "auto" | "require";
	write: WriteScope;
	/** The network of the processes that tools start. `allowlist`: only the hosts that are named here. */
	network: "off" | "on" | "allowlist";
	hosts?: string[];
	/** Whether these processes may use unix sockets. */
	sockets: boolean;
	/** Variables that these processes get besides the usual ones. */
	env: string[];
	/** Absolute paths that tools must not read, on top of what is hidden by default. */
	hide: string[];
}

/** How the tree of a run is made. */
export interface PlannedTree {
	maxFiles: number;
	maxBytes: number;
	/** Folders that git ignores, which the tree gets links to. */
	link: string[];
	submodules: "warn" | "refuse";
	/** The path from the top of the checkout to the working directory. Absent: unknown until the tree is made. */
	prefix?: string;
}

export interface Principal {
	id: string;
	/** Its own agent directory, where its credentials are; absent for the user's. */
	agentDir?: string;
}

export interface ModelChoice {
	provider: string;
	id: string;
	/** The extension files that register its provider, in pi's loading order. Absent: pi knows the provider by itself. */
	extensions?: string[];
}

/** A program of the user, from the user's own configuration. */
export interface HookProgram {
	/** The program and its arguments. */
	command: string[];
	timeoutMs: number;
	/** Where it works. */
	cwd: string;
}

export interface PlannedSkill {
	name: string;
	/** Its SKILL.md, or the folder of it. */
	file: string;
}

export interface FallbackModel extends ModelChoice {
	/** As written in the list, for programs that cannot look up names. */
	named: string;
	/** Set if the name included it, as in `sonnet:high`. */
	thinking?: ThinkingLevel;
}

export interface Limits {
	timeoutMs: number;
	idleTimeoutMs: number;
	toolTimeoutMs: number;
	maxCorrections: number;
	maxTurns?: number;
	maxTokens?: number;
	maxCostUsd?: number;
	/** Budgets that all runs of one parent session share. */
	parentSession: { maxTokens?: number; maxCostUsd?: number };
}

export interface ChildSession {
	id: SessionId;
	file: string;
	/** Whether the file holds an earlier conversation that this run continues. */
	resumed: boolean;
	/**
	 * For a session that begins with a copy of its parent's conversation: where that copy is until the first run moves it
	 * to `file`.
	 */
	fork?: string;
}
