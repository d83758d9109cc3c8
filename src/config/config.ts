import type { NetworkSetting } from "../run/network.ts";
import type { ThinkingLevel } from "../run/thinking.ts";

/** The requests that a child may ever send to a language server. None of them changes a file. */
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

/** In the order in which they are tried; the last one needs no key. */
export const SEARCH_PROVIDERS = ["brave", "tavily", "serper", "exa", "searxng", "duckduckgo"] as const;

export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

/** From the loosest to the strictest. */
export const SANDBOX_MODES = ["off", "auto", "require"] as const;

export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** The configuration in force: checked, complete and frozen. `null` means no limit, or no preference. */
export interface Config {
	subagents: {
		enabled: boolean;
		maxDepth: number;
		timeoutMs: number;
		idleTimeoutMs: number;
		/** The limit of one tool call, during which the idle limit stands still. */
		toolTimeoutMs: number;
		/** These three are limits of one run. */
		maxTurns: number | null;
		maxTokens: number | null;
		maxCostUsd: number | null;
		/** Limits of all runs of one parent session together. */
		session: { maxTokens: number | null; maxCostUsd: number | null };
		allowWrite: boolean;
		allowLspTools: boolean;
		allowedLspActions: readonly LspAction[];
		/** Tools that count as read-only, besides the read-only set: MCP tools, or `mcp__<server>` for all of a server. */
		readonlyTools: readonly string[];
		/** Names of agents that may not run. */
		disabled: readonly string[];
		injectDelegationPolicy: boolean;
		/** `maxAttempts` is the total, including the first. */
		retry: { enabled: boolean; maxAttempts: number };
		/** How long a question of a subagent stays open once its parent is closed. */
		askMinutes: number;
		/** Programs with their arguments. An empty list: one is configured, but cannot be read. */
		hooks: { start: readonly string[] | null; stop: readonly string[] | null; timeoutMs: number };
		sandbox: {
			mode: SandboxMode;
			/** More paths that tools must not read. */
			hide: readonly string[];
			/** Variables that processes of tools get besides the usual ones. */
			env: readonly string[];
			/** Host names: only those are reachable. Null: off, but on for runs that write in the checkout. */
			network: NetworkSetting | null;
			/** Whether processes of tools may use unix sockets: docker, ssh-agent. */
			sockets: boolean;
		};
		/** Settings of the trees that runs write in. */
		worktree: {
			/** Folders that git ignores, which a tree gets links to. */
			link: readonly string[];
			/** A larger checkout gets no tree. */
			maxFiles: number;
			maxBytes: number;
			/** For a checkout with submodules: make a tree without them and warn, or refuse. */
			submodules: "warn" | "refuse";
			/** Whether the parent's model gets a tool that applies changes. */
			modelMayApply: boolean;
		};
	};
	agents: {
		defaults: {
			subagents: {
				model: string | null;
				/** For agents whose file has no list. */
				fallbackModels: readonly string[];
				thinking: ThinkingLevel | null;
				maxConcurrent: number;
				/** 0: never. */
				archiveAfterMinutes: number;
				/** 0: no limit of its own. */
				runTimeoutSeconds: number;
				/** The hard cap of background runs, instead of `subagents.timeoutMs`. */
				maxRunSeconds: number;
				/** The pool for runs that name none. Null: they run on this machine. */
				pool: string | null;
			};
		};
		/** Always includes `main`. */
		list: readonly PrincipalSettings[];
	};
	tools: { subagents: { tools: { allow: readonly string[] | null; deny: readonly string[] } } };
	web: {
		/** Whether the parent has the web tools itself; its children may have them either way. */
		enabled: boolean;
		/** Tried first; null: the providers that have a key, then the one that needs none. */
		provider: SearchProviderName | null;
		/** Whether to try the other providers when the first fails. */
		fallback: boolean;
		providers: {
			brave: KeyedProvider;
			tavily: KeyedProvider;
			serper: KeyedProvider;
			exa: KeyedProvider;
			searxng: { baseUrl: string | null };
			duckduckgo: { baseUrl: string | null };
		};
		allowPrivateNetwork: boolean;
		/** The limit of one response, unpacked, or of one file. */
		maxBytes: number;
		timeoutMs: number;
		cacheMinutes: number;
	};
	lsp: {
		/** Whether the parent has the tool itself; its children may have it either way. */
		enabled: boolean;
		/** Whether rename and code actions may write files. Never in a child. */
		allowMutatingActions: boolean;
		idleMinutes: number;
		servers: readonly LspServerSettings[];
	};
	ui: {
		/** Whether running runs are shown above the editor. */
		widget: boolean;
	};
	/** Workers on other machines. */
	pools: readonly PoolSettings[];
	finalize: { maxCorrections: number };
	headless: { drainSeconds: number };
	retentionDays: number;
}

/** The account and directory that a run works under. */
export interface PrincipalSettings {
	id: string;
	/** Another name for it in `agents_list`. */
	name: string | null;
	/** As written in the file; null: the agent directory of this pi. */
	agentDir: string | null;
	subagents: {
		/** The principals it may target; `*` is any. */
		allowAgents: readonly string[];
		model: string | null;
	};
}

/** A queue in a PostgreSQL database, from which workers take runs. One of the two fields says where its address is. */
export interface PoolSettings {
	name: string;
	/** The environment variable that holds the address. */
	urlEnv: string | null;
	/** A file that holds the address and that only its owner can read. */
	urlFile: string | null;
	/** On a worker: a program and its arguments, run once in each new checkout. Never a shell. */
	setup: readonly string[] | null;
}

export interface KeyedProvider {
	apiKey: string | null;
	/** The environment variable that holds the key when `apiKey` is null. */
	apiKeyEnv: string;
	/** Instead of the provider's own address. */
	baseUrl: string | null;
}

/** A language server of the user, or changes to a built-in one. Null: as built in. */
export interface LspServerSettings {
	name: string;
	/** A program, by name or absolute path, and its arguments. Never a shell. */
	command: readonly string[] | null;
	extensions: readonly string[] | null;
	languageId: string | null;
	/** Files that mark a project root for this server. */
	rootMarkers: readonly string[] | null;
	initializationOptions: object | null;
	/** Whether it runs only in trusted projects. Null: as built in, and true for a server that is not built in. */
	needsTrust: boolean | null;
	disabled: boolean;
}
