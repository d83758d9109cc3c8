import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type ExtensionUIContext, ModelRuntime, SessionManager } from "@earendil-works/pi-coding-agent";
import { startWork } from "../child/work.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { type HostId, newRunId, type SessionId } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";
import { NO_USAGE } from "../run/usage.ts";
import { type LoopbackModel, loopbackModel } from "./loopback-model.ts";

export interface WarmUp {
	hostId: HostId;
	agentDir: string;
	cwd: string;
	/** The wire protocol of the model that children will most likely use. */
	api: string;
	extensions: string[];
	tools: string[];
	redactor: Redactor;
	ui: ExtensionUIContext;
	/** Whether no run has arrived yet. */
	isIdle: () => boolean;
}

/** One round loads the code, and a second has more of it compiled. Measurements show no gain from a third. */
const ROUNDS = 2;

/**
 * Works on made-up runs, so that the code is loaded and compiled when the first real run comes. No ledger has these runs,
 * and no file their sessions. They have no credentials, and get recorded answers instead of a model's.
 */
export async function warmUp(setup: WarmUp): Promise<Outcome[]> {
	const model = await loopbackModel(setup.api);
	try {
		const runtime = await runtimeAskedBy(model.fetch, setup.api);
		const outcomes: Outcome[] = [];
		await setImmediate();
		while (outcomes.length < ROUNDS && setup.isIdle()) outcomes.push(await workOnNothing(setup, runtime));
		return outcomes;
	} finally {
		model.close();
	}
}

async function workOnNothing(setup: WarmUp, runtime: ModelRuntime): Promise<Outcome> {
	const plan = planOf(setup);
	const id = newRunId();
	const { done } = startWork(
		{
			run: {
				id,
				state: "running",
				attempt: 1,
				maxAttempts: 1,
				fence: 1,
				hostId: setup.hostId,
				leaseUntil: Number.POSITIVE_INFINITY,
				startedAt: Date.now(),
			},
			seq: 0,
			sessionId: plan.session.id,
			parentSession: "",
			mode: "background",
			profile: { digest: "" },
			plan,
			usage: NO_USAGE,
			createdAt: Date.now(),
		},
		{
			agentDir: setup.agentDir,
			ui: setup.ui,
			redactor: setup.redactor,
			openModels: async () => runtime,
			openTranscript: () => SessionManager.inMemory(setup.cwd),
			ask: async () => undefined,
			onNotice: () => {},
			inbox: { runId: id, waiting: () => [], taken: () => {} },
			questions: {
				ask: async () => ({ answered: false, declined: "nobody" }),
				untaken: () => undefined,
				taken: () => {},
			},
			parentSessionUsage: () => NO_USAGE,
			onProgress: (progress) => void progress(),
			onTurn: () => {},
			onToolUse: () => {},
			assertLeaseHeld: () => {},
			onWarning: () => {},
			onRetry: () => {},
			beginAttempt: () => false,
			recordHop: () => false,
			onAway: () => {},
		},
	);
	return (await done).outcome;
}

const PROVIDER = "pi-geon-warm-up";
const MODEL = "none";

/** A separate runtime: the user's would ask for credentials, which may run a command or renew a token. */
async function runtimeAskedBy(fetch: LoopbackModel["fetch"], api: string): Promise<ModelRuntime> {
	const nothing = { read: async () => undefined, list: async () => [], modify: async () => undefined };
	const runtime = await ModelRuntime.create({
		credentials: { ...nothing, delete: async () => {} },
		modelsPath: null,
		refreshOnCreate: false,
	});
	runtime.registerProvider(PROVIDER, {
		api,
		baseUrl: "http://127.0.0.1:9",
		apiKey: "none",
		models: [
			{
				id: MODEL,
				name: MODEL,
				reasoning: false,
				input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 100_000,
				maxTokens: 1000,
			},
		],
	});
	const streamSimple: ModelRuntime["streamSimple"] = (model, context, options) =>
		runtime.streamSimple(model, context, { ...options, fetch });
	return Object.create(runtime, { streamSimple: { value: streamSimple } }) as ModelRuntime;
}

function planOf({ cwd, tools, extensions }: WarmUp): LaunchPlan {
	return {
		agent: "warm-up",
		definition: { source: "builtin", file: "", digest: "" },
		task: "Nothing.",
		prompt: "You do nothing.",
		cwd,
		isolation: "shared",
		projectTrusted: false,
		tools,
		extensions,
		lspActions: [],
		model: { provider: PROVIDER, id: MODEL },
		limits: { timeoutMs: 5000, idleTimeoutMs: 5000, toolTimeoutMs: 5000, maxCorrections: 0, parentSession: {} },
		maxAttempts: 1,
		session: { id: randomUUID() as SessionId, file: "", resumed: false },
		principal: { id: "main" },
		afterwards: { cleanup: "keep", archiveAfterMinutes: 0, parentKept: false },
		warnings: [],
	};
}
