import {
	type AgentSession,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionFactory,
	type ExtensionUIContext,
	type ModelRuntime,
	SettingsManager,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";
import { contextFiles } from "./context-files.ts";
import { openSessionFile, SetupFailed } from "./session-file.ts";

export interface ChildSetup {
	plan: LaunchPlan;
	agentDir: string;
	modelRuntime: ModelRuntime;
	finalizeTool: ToolDefinition;
	/** What watches the child from inside. */
	guards: ExtensionFactory[];
	/** What its extensions reach a user with. */
	ui: ExtensionUIContext;
}

/** Opens the pi session a run works in: a new one, or the one it continues. */
export async function openChildSession(setup: ChildSetup): Promise<AgentSession> {
	const { plan, agentDir, modelRuntime, finalizeTool } = setup;
	const model = modelRuntime.getModel(plan.model.provider, plan.model.id);
	if (!model) throw new SetupFailed(`The model ${plan.model.provider}/${plan.model.id} is not known to this pi.`);

	const settingsManager = SettingsManager.create(plan.cwd, agentDir, { projectTrusted: plan.projectTrusted });
	const resourceLoader = new DefaultResourceLoader({
		cwd: plan.cwd,
		agentDir,
		settingsManager,
		noExtensions: true,
		additionalExtensionPaths: plan.extensions,
		extensionFactories: setup.guards,
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
		sessionManager: openSessionFile(plan),
		settingsManager,
	});
	// The mode in which pi's extensions may open dialogs, and find no terminal.
	await session.bindExtensions({ uiContext: setup.ui, mode: "rpc" });
	requireTools(session, [...plan.tools, finalizeTool.name]);
	return session;
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
