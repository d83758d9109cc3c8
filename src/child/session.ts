import {
	type AgentSession,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionFactory,
	type ExtensionUIContext,
	type ModelRuntime,
	type SessionManager,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";

import { ASK_TOOL } from "../run/question.ts";

import { lendRings } from "../sandbox/lent-rings.ts";

import { childSettings } from "./child-settings.ts";
import { contextFilesSince } from "./context-files.ts";
import type { ChildMcp } from "./mcp.ts";
import type { ModelLine } from "./model-line.ts";
import { piExtensionsFor } from "./pi-extensions.ts";
import { type ChildRing, hiddenFromChild } from "./ring.ts";
import { ringedTools } from "./ringed-tools.ts";
import { serverRings } from "./server-rings.ts";
import { openSessionFile, SetupFailed } from "./session-file.ts";
import { lostSkills, skillOptions } from "./skills.ts";
import type { ChildTree } from "./tree.ts";
import { Turns } from "./turns.ts";

export interface ChildSetup {
	plan: LaunchPlan;
	/** Which of the plan's models it begins with. */
	models: Pick<ModelLine, "first" | "name" | "thinking">;
	agentDir: string;
	modelRuntime: ModelRuntime;
	finalizeTool: ToolDefinition;
	/** Only for a child that may ask the user. */
	askTool?: ToolDefinition;
	/** Extensions that watch the child from inside. */
	guards: ExtensionFactory[];
	/** How its extensions reach a user. */
	ui: ExtensionUIContext;
	/** What confines its tools. */
	ring?: ChildRing | undefined;
	/** Where it works, if not in the user's folder. */
	tree?: ChildTree;
	/** Receives what the child lacks. */
	warn(warning: string): void;
	/** Receives what to close once the child has stopped, even if it never started to work. */
	closeAtEnd(close: () => Promise<unknown>): void;
	/** Where the child's session is kept. Default: the file of its plan. */
	openTranscript?: (plan: LaunchPlan) => SessionManager;
}

/**
 * A process does one thing at a time. If a thousand children were set up at once, none would reach its model before nearly
 * all are ready. With a few at a time, the first children get answers while the others are set up.
 */
const openingTurns = new Turns(4, 1000);

/** Opens the pi session a run works in: a new one, or the one it continues. */
export function openChildSession(setup: ChildSetup): Promise<AgentSession> {
	const askedAt = performance.now();
	return openingTurns.take(() => startSession(setup, askedAt));
}

async function startSession(setup: ChildSetup, askedAt: number): Promise<AgentSession> {
	const { plan, agentDir, modelRuntime, finalizeTool, askTool, openTranscript = openSessionFile } = setup;
	const model = await setup.models.first(modelRuntime);
	if (!model) throw new SetupFailed(`The model ${setup.models.name} is not known to this pi.`);
	const { thinking } = setup.models;
	const ring = setup.ring?.ring;

	const { factories, mcp } = piExtensionsFor(plan, ring);
	if (mcp) setup.closeAtEnd(() => mcp.close());
	if (ring && plan.tools.includes("lsp")) {
		const rings = serverRings(ring, { inTree: setup.tree !== undefined });
		const giveBack = lendRings(plan.session.id, rings);
		setup.closeAtEnd(async () => {
			giveBack();
			await rings.end?.();
		});
	}
	const settingsManager = childSettings(plan.cwd, agentDir, { projectTrusted: plan.projectTrusted });
	const hidden = hiddenFromChild(plan, agentDir);
	const agentsFiles = contextFilesSince(askedAt, { cwd: plan.cwd, agentDir, hidden }, setup.warn);
	const resourceLoader = new DefaultResourceLoader({
		cwd: plan.cwd,
		agentDir,
		settingsManager,
		noExtensions: true,
		additionalExtensionPaths: plan.extensions,
		// One extension for all guards: pi prepares each event once per extension.
		extensionFactories: [
			async (pi) => {
				for (const guard of setup.guards) await guard(pi);
			},
			...factories,
		],
		...skillOptions(plan),
		noPromptTemplates: true,
		noThemes: true,
		// Overrides instead of options, with which pi reads a file if the prompt happens to be the name of one.
		systemPromptOverride: () => (setup.tree?.note ? `${plan.prompt}\n${setup.tree.note}` : plan.prompt),
		appendSystemPromptOverride: () => [],
		// pi would read the whole files, no matter who owns them.
		noContextFiles: true,
		agentsFilesOverride: () => ({ agentsFiles }),
	});
	await resourceLoader.reload();
	for (const warning of lostSkills(plan, resourceLoader)) setup.warn(warning);

	const { session } = await createAgentSession({
		// Only its tools see the tree: everything that configures the session comes from the user's folder.
		cwd: setup.tree?.cwd ?? plan.cwd,
		agentDir,
		modelRuntime,
		model,
		...(thinking && { thinkingLevel: thinking }),
		tools: [...plan.tools.filter((name) => !mcp?.isGranted(name)), ...(mcp?.allowed ?? []), finalizeTool.name],
		customTools: [
			finalizeTool,
			...(askTool ? [askTool] : []),
			...(ring ? ringedTools(plan, { ring, settings: settingsManager, tree: setup.tree?.cwd }) : []),
		],
		resourceLoader,
		sessionManager: openTranscript(plan),
		settingsManager,
	});
	// The mode in which pi's extensions may open dialogs, and find no terminal.
	await session.bindExtensions({ uiContext: setup.ui, mode: "rpc" });
	for (const warning of (await mcp?.missing()) ?? []) setup.warn(warning);
	try {
		requireTools(session, { planned: [...plan.tools, finalizeTool.name], finalize: finalizeTool.name, mcp });
	} catch (error) {
		session.dispose();
		throw error;
	}
	return session;
}

/**
 * The last check before the first prompt: the child has the planned tools, no fewer and, above all, no others. A server may
 * be down today, so a missing MCP tool is only a warning. A child without any tool does not start.
 */
function requireTools(
	session: AgentSession,
	{ planned, finalize, mcp }: { planned: string[]; finalize: string; mcp: ChildMcp | undefined },
): void {
	const actual = session.getActiveToolNames();
	const missing = planned.filter((name) => !actual.includes(name) && !mcp?.isGranted(name));
	const extra = actual.filter((name) => !planned.includes(name) && !mcp?.isGranted(name));
	const say = (label: string, names: string[]) => (names.length > 0 ? `${label}: ${names.join(", ")}. ` : "");
	if (missing.length > 0 || extra.length > 0) {
		throw new SetupFailed(
			`The subagent's tools are not those of its plan. ${say("Missing", missing)}${say("Not planned", extra)}`.trim(),
		);
	}
	if (actual.every((name) => name === finalize || name === ASK_TOOL)) {
		throw new SetupFailed(`None of the subagent's tools is available. ${say("Planned", planned)}`.trim());
	}
}
