import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
	type AgentSession,
	CURRENT_SESSION_VERSION,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionFactory,
	type ExtensionUIContext,
	type ModelRuntime,
	SessionManager,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";
import { childSettings } from "./child-settings.ts";
import { contextFiles } from "./context-files.ts";
import { Turns } from "./turns.ts";

export interface ChildSetup {
	plan: LaunchPlan;
	agentDir: string;
	modelRuntime: ModelRuntime;
	finalizeTool: ToolDefinition;
	/** What watches the child from inside. */
	guards: ExtensionFactory[];
	/** What its extensions reach a user with. */
	ui: ExtensionUIContext;
	/** What the child's session is kept in. Default: the file of its plan. */
	openTranscript?: (plan: LaunchPlan) => SessionManager;
}

/** Why a child could not be set up as planned. Said to the requester as it is. */
export class SetupFailed extends Error {
	override name = "SetupFailed";
}

/**
 * A process does one thing at a time. Of a thousand children that are set up all at once none gets to its model before
 * nearly all are ready; set up a few at a time, the first are answered meanwhile.
 */
const turns = new Turns(4, 1000);

/** Opens the pi session a run works in: a new one, or the one it continues. */
export function openChildSession(setup: ChildSetup): Promise<AgentSession> {
	return turns.take(() => open(setup));
}

async function open(setup: ChildSetup): Promise<AgentSession> {
	const { plan, agentDir, modelRuntime, finalizeTool, openTranscript = openSessionFile } = setup;
	const model = modelRuntime.getModel(plan.model.provider, plan.model.id);
	if (!model) throw new SetupFailed(`The model ${plan.model.provider}/${plan.model.id} is not known to this pi.`);

	const settingsManager = childSettings(plan.cwd, agentDir, { projectTrusted: plan.projectTrusted });
	const resourceLoader = new DefaultResourceLoader({
		cwd: plan.cwd,
		agentDir,
		settingsManager,
		noExtensions: true,
		additionalExtensionPaths: plan.extensions,
		// One extension for all of them: pi prepares each event once for an extension.
		extensionFactories: [
			async (pi) => {
				for (const guard of setup.guards) await guard(pi);
			},
		],
		noSkills: true,
		noPromptTemplates: true,
		noThemes: true,
		// Given as overrides, not as options: those would read a file if the prompt happened to be the name of one.
		systemPromptOverride: () => plan.prompt,
		appendSystemPromptOverride: () => [],
		agentsFilesOverride: () => ({ agentsFiles: contextFiles(plan.cwd, agentDir) }),
	});
	await resourceLoader.reload();
	// After the reload, which reads the user's settings anew. pi retries inside the session, and leaves failed attempts
	// out of what the model sees; `ProviderWatch` keeps its two layers from multiplying.
	const maxRetries = plan.maxAttempts - 1;
	settingsManager.applyOverrides({ retry: { enabled: maxRetries > 0, maxRetries, provider: { maxRetries } } });

	const { session } = await createAgentSession({
		cwd: plan.cwd,
		agentDir,
		modelRuntime,
		model,
		...(plan.thinking && { thinkingLevel: plan.thinking }),
		tools: [...plan.tools, finalizeTool.name],
		customTools: [finalizeTool],
		resourceLoader,
		sessionManager: openTranscript(plan),
		settingsManager,
	});
	// The mode in which pi's extensions may open dialogs, and find no terminal.
	await session.bindExtensions({ uiContext: setup.ui, mode: "rpc" });
	requireTools(session, [...plan.tools, finalizeTool.name]);
	return session;
}

/**
 * pi writes a new session file only once the model has answered, and readable by others. Ours exists from the start,
 * for the user alone, so that whatever happens next is on record.
 */
function openSessionFile(plan: LaunchPlan): SessionManager {
	const { file, resumed } = plan.session;
	if (resumed && !existsSync(file))
		throw new SetupFailed(`The session to continue is gone: there is no ${file} any more.`);
	if (!resumed) createSessionFile(plan);
	return SessionManager.open(file, dirname(file), plan.cwd);
}

function createSessionFile(plan: LaunchPlan): void {
	const { file, id } = plan.session;
	const header = {
		type: "session",
		version: CURRENT_SESSION_VERSION,
		id,
		timestamp: new Date().toISOString(),
		cwd: plan.cwd,
	};
	const text = `${JSON.stringify(header)}\n`;
	const write = () => writeFileSync(file, text, { flag: "wx", mode: 0o600 });
	try {
		write();
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		if (code === "EEXIST") return; // By an attempt before this one.
		if (code !== "ENOENT") throw error;
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		write();
	}
}

/** The last check before the first prompt: the child has what was agreed, nothing less and above all nothing more. */
function requireTools(session: AgentSession, planned: string[]): void {
	const actual = session.getActiveToolNames();
	const missing = planned.filter((name) => !actual.includes(name));
	const extra = actual.filter((name) => !planned.includes(name));
	if (missing.length === 0 && extra.length === 0) return;
	session.dispose();
	const say = (label: string, names: string[]) => (names.length > 0 ? `${label}: ${names.join(", ")}. ` : "");
	throw new SetupFailed(
		`The child's tools are not those of its plan. ${say("Missing", missing)}${say("Not planned", extra)}`.trim(),
	);
}
