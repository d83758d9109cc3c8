import type { NetworkSetting } from "../run/network.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../run/thinking.ts";
import {
	type Config,
	type KeyedProvider,
	LSP_ACTIONS,
	type LspAction,
	type LspServerSettings,
	type PoolSettings,
	SANDBOX_MODES,
	type SandboxMode,
	SEARCH_PROVIDERS,
	type SearchProviderName,
} from "./config.ts";
import {
	hookCommand,
	LONGEST_TIMER_SECONDS,
	listOf,
	matching,
	milliseconds,
	networkSetting,
	oneOf,
	orNull,
	positiveNumber,
	seconds,
	text,
	trueOrFalse,
	wholeNumber,
} from "./kinds.ts";
import { lspServers } from "./lsp-servers.ts";
import { poolName, pools } from "./pools.ts";
import { MAIN, principals } from "./principals.ts";
import {
	freely,
	never,
	onlyFewer,
	onlyLessNetwork,
	onlyLessThinking,
	onlyLower,
	onlyMore,
	onlyNarrower,
	onlyOff,
	onlyRefusing,
	onlyShorter,
	onlyStricter,
} from "./project-rules.ts";
import type { Kind, Setting, SettingsOf } from "./setting.ts";
import { toolNames } from "./tool-lists.ts";

const setting = <T>(initial: T, kind: Kind<T>, fromProject: Setting<T>["fromProject"]): Setting<T> => ({
	default: initial,
	kind,
	fromProject,
});

const limit = (kind: Kind<number>) => setting<number | null>(null, orNull(kind), onlyLower);

const folderName = matching(/^(?!\.+$)[^/\\\0]+$/, "the name of a folder");

const webAddress = matching(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i, "an http or https address");

/** Only the user decides where searches and keys are sent. */
const baseUrl = setting<string | null>(null, orNull(webAddress), never);

const keyedProvider = (apiKeyEnv: string): SettingsOf<KeyedProvider> => ({
	apiKey: setting<string | null>(null, orNull(text), never),
	apiKeyEnv: setting(apiKeyEnv, text, never),
	baseUrl,
});

/** Every key: its default, what it must be, and what a project's file may do to it. */
export const SETTINGS: SettingsOf<Config> = {
	subagents: {
		enabled: setting(true, trueOrFalse, onlyOff),
		maxDepth: setting(1, wholeNumber(0, 1), onlyLower),
		timeoutMs: setting(900_000, milliseconds, onlyLower),
		idleTimeoutMs: setting(180_000, milliseconds, onlyLower),
		toolTimeoutMs: setting(600_000, milliseconds, onlyLower),
		maxTurns: limit(wholeNumber(1)),
		maxTokens: limit(wholeNumber(1)),
		maxCostUsd: limit(positiveNumber),
		session: { maxTokens: limit(wholeNumber(1)), maxCostUsd: limit(positiveNumber) },
		allowWrite: setting(false, trueOrFalse, onlyOff),
		allowLspTools: setting(true, trueOrFalse, onlyOff),
		allowedLspActions: setting<readonly LspAction[]>(LSP_ACTIONS, listOf(oneOf(LSP_ACTIONS)), onlyFewer),
		readonlyTools: setting<readonly string[]>([], listOf(text), onlyFewer),
		disabled: setting<readonly string[]>([], listOf(text), onlyMore),
		// The policy is part of every request.
		injectDelegationPolicy: setting(true, trueOrFalse, onlyOff),
		retry: { enabled: setting(true, trueOrFalse, onlyOff), maxAttempts: setting(2, wholeNumber(1, 10), onlyLower) },
		askMinutes: setting(10, wholeNumber(0), onlyLower),
		// Hooks are commands, and protect the user against projects too.
		hooks: {
			start: setting<readonly string[] | null>(null, hookCommand("no subagent is started"), never),
			stop: setting<readonly string[] | null>(null, hookCommand("no stop hook runs"), never),
			timeoutMs: setting(10_000, milliseconds, never),
		},
		sandbox: {
			mode: setting<SandboxMode>("auto", oneOf(SANDBOX_MODES), onlyStricter),
			hide: setting<readonly string[]>([], listOf(text), onlyMore),
			env: setting<readonly string[]>([], listOf(matching(/^\w+$/, "the name of a variable")), onlyFewer),
			network: setting<NetworkSetting | null>(null, orNull(networkSetting), onlyLessNetwork),
			sockets: setting(false, trueOrFalse, onlyOff),
		},
		worktree: {
			link: setting<readonly string[]>(["node_modules", ".venv"], listOf(folderName), onlyFewer),
			maxFiles: setting(50_000, wholeNumber(1), onlyLower),
			maxBytes: setting(1024 ** 3, wholeNumber(1), onlyLower),
			submodules: setting<"warn" | "refuse">("warn", oneOf(["warn", "refuse"]), onlyRefusing),
			modelMayApply: setting(false, trueOrFalse, onlyOff),
		},
	},
	agents: {
		defaults: {
			subagents: {
				// Only the user decides which account pays, and how much.
				model: setting<string | null>(null, orNull(text), never),
				fallbackModels: setting<readonly string[]>([], listOf(text), never),
				thinking: setting<ThinkingLevel | null>(null, orNull(oneOf(THINKING_LEVELS)), onlyLessThinking),
				maxConcurrent: setting(8, wholeNumber(1), onlyLower),
				archiveAfterMinutes: setting(60, wholeNumber(0), freely),
				runTimeoutSeconds: setting(0, seconds, onlyShorter),
				maxRunSeconds: setting(3600, wholeNumber(1, LONGEST_TIMER_SECONDS), onlyLower),
				pool: setting<string | null>(null, orNull(poolName), never),
			},
		},
		list: setting([MAIN], principals, never),
	},
	tools: {
		subagents: {
			tools: {
				allow: setting<readonly string[] | null>(null, orNull(toolNames), onlyNarrower),
				deny: setting<readonly string[]>([], toolNames, onlyMore),
			},
		},
	},
	web: {
		enabled: setting(false, trueOrFalse, onlyOff),
		provider: setting<SearchProviderName | null>(null, orNull(oneOf(SEARCH_PROVIDERS)), never),
		fallback: setting(true, trueOrFalse, onlyOff),
		providers: {
			brave: keyedProvider("BRAVE_API_KEY"),
			tavily: keyedProvider("TAVILY_API_KEY"),
			serper: keyedProvider("SERPER_API_KEY"),
			exa: keyedProvider("EXA_API_KEY"),
			searxng: { baseUrl },
			duckduckgo: { baseUrl },
		},
		allowPrivateNetwork: setting(false, trueOrFalse, onlyOff),
		maxBytes: setting(10 * 1024 * 1024, wholeNumber(1024, 100 * 1024 * 1024), onlyLower),
		timeoutMs: setting(20_000, milliseconds, onlyLower),
		cacheMinutes: setting(15, wholeNumber(0), onlyLower),
	},
	lsp: {
		enabled: setting(false, trueOrFalse, onlyOff),
		allowMutatingActions: setting(false, trueOrFalse, onlyOff),
		idleMinutes: setting(5, wholeNumber(1, 1440), onlyLower),
		// Servers are commands.
		servers: setting<readonly LspServerSettings[]>([], lspServers, never),
	},
	ui: { widget: setting(true, trueOrFalse, freely) },
	// Only the user decides where the source is sent, and which command a worker runs.
	pools: setting<readonly PoolSettings[]>([], pools, never),
	finalize: { maxCorrections: setting(2, wholeNumber(0, 20), onlyLower) },
	headless: { drainSeconds: setting(600, seconds, onlyLower) },
	// All projects share the ledger: one of them must not delete the records of the others.
	retentionDays: setting(30, wholeNumber(1), never),
};
