import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { clampThinkingLevel } from "@earendil-works/pi-ai";
import {
	type ExtensionAPI,
	type ExtensionContext,
	getAgentDir,
	type ModelRuntime,
	readStoredCredential,
	resolveModelScopeWithDiagnostics,
} from "@earendil-works/pi-coding-agent";
import { type McpConfig, namespaceOf, readMcpConfig } from "../child/mcp-config.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { extensionArea, leadsInto } from "../files/project-area.ts";
import type { ParentFacts } from "../plan/launch.ts";
import type { ResolvedModel } from "../plan/model.ts";
import type { ModelQuestion } from "../plan/model-for.ts";
import { readModelName } from "../plan/model-name.ts";
import type { KnownSkill } from "../plan/skills.ts";
import type { KnownTool } from "../plan/tools.ts";
import { delegationDepth } from "../run/delegation-depth.ts";
import { isThinkingLevel } from "../run/thinking.ts";
import { traceContextIn } from "../run/trace-context.ts";
import type { UserDecisions } from "./delegation-setup.ts";
import { modelSource } from "./model-source.ts";
import { loadableAgain } from "./project-extensions.ts";
import { SameMoment } from "./same-moment.ts";

/** The parent at this moment, as the plan needs it. */
export function parentFacts(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	{ approveProjectAgent, askToWrite, ringTrouble, askForTree }: UserDecisions,
): ParentFacts {
	const thinking: string = pi.getThinkingLevel();
	const trace = traceContextIn(process.env);
	return {
		cwd: realpathSync(ctx.cwd),
		depth: delegationDepth(process.env),
		activeTools: activeTools(pi, ctx),
		knownTools: knownTools(pi, ctx),
		knownSkills: () => knownSkills(pi, ctx),
		...modelFacts(ctx),
		thinking: isThinkingLevel(thinking) ? thinking : undefined,
		projectTrusted: isTrustedByDecision(ctx),
		sessionKept: ctx.sessionManager.getSessionFile() !== undefined,
		...(trace && { trace }),
		approveProjectAgent: (question) => approveProjectAgent(ctx, question),
		askToWrite: (agent, tools) => askToWrite(ctx, agent, tools),
		...(ringTrouble && { ringTrouble }),
		...(askForTree && { askForTree }),
	};
}

/** What planning needs to choose a model. */
export const modelFacts = (ctx: ExtensionContext): ModelQuestion["parent"] => ({
	model: ctx.model && { provider: ctx.model.provider, id: ctx.model.id },
	resolveModel: (name, principalDir) => resolveModel(ctx, name, principalDir),
	modelSource: (model) => modelSource(ctx, model),
	thinkingWith: ({ provider, id }, level) => {
		const model = ctx.modelRegistry.find(provider, id);
		return model && clampThinkingLevel(model, level);
	},
});

/** The skills that pi has found. A file in an untrusted project may have another text by the time a child reads it. */
export function knownSkills(pi: ExtensionAPI, ctx: ExtensionContext): KnownSkill[] {
	const area = isTrustedByDecision(ctx) ? [] : extensionArea(ctx.cwd, getAgentDir());
	return pi.getCommands().flatMap(({ name, source, sourceInfo }) => {
		if (source !== "skill") return [];
		const untrusted = leadsInto(sourceInfo.path, area) && { untrusted: true as const };
		return [{ name: name.replace(/^skill:/, ""), file: sourceInfo.path, ...untrusted }];
	});
}

/** All known tools, and the MCP servers that have not listed their tools yet, by the prefix of their names. */
export function knownTools(pi: ExtensionAPI, ctx: ExtensionContext): KnownTool[] {
	return toolsOfMoment.of(ctx.sessionManager.getSessionId(), () => toolsNow(pi, ctx));
}

const toolsOfMoment = new SameMoment<KnownTool[]>();

function toolsNow(pi: ExtensionAPI, ctx: ExtensionContext): KnownTool[] {
	const mayLoad = loadableAgain(ctx);
	const tools = pi.getAllTools().flatMap((tool) => knownTool(tool, mayLoad));
	return [...tools, ...silentServers(pi, ctx).map((name): KnownTool => ({ name, from: "mcp" }))];
}

/** MCP servers that are configured and have no tools yet: they are connecting, or cannot be reached. */
export function silentServers(pi: ExtensionAPI, ctx: ExtensionContext): string[] {
	if (!hasMcp(pi)) return [];
	const names = pi.getAllTools().map(({ name }) => name);
	return mcpConfigOf(ctx)
		.servers.filter(({ config }) => config.exposure !== "hidden")
		.map(({ name }) => namespaceOf(name))
		.filter((server) => !names.some((name) => name.startsWith(`${server}__`)));
}

/** Whether pi's own MCP support is active: the user may have switched it off, or have replaced it with an extension. */
export const hasMcp = (pi: ExtensionAPI): boolean =>
	pi.getCommands().some(({ name, sourceInfo }) => name === "mcp" && sourceInfo.path === "builtin:mcp");

export const mcpConfigOf = (ctx: ExtensionContext): McpConfig =>
	readMcpConfig({ agentDir: getAgentDir(), cwd: ctx.cwd, projectTrusted: isTrustedByDecision(ctx) });

/**
 * The tools that the parent has switched on. MCP tools that it calls through `codemode` or `tool_search` count too. A child
 * inherits them, but not the way of calling them.
 */
export function activeTools(pi: ExtensionAPI, ctx: ExtensionContext): string[] {
	const active = pi.getActiveTools();
	if (!active.includes("codemode") && !active.includes("tool_search")) return active;
	const deferred = pi
		.getAllTools()
		.filter((tool) => tool.name.startsWith("mcp__") && Reflect.get(tool, "exposure") === "deferred")
		.map(({ name }) => name);
	return [...new Set([...active, ...deferred, ...silentServers(pi, ctx)])];
}

/** pi's own extensions (pi >= 0.99) by the path that pi gives their tools. Core tools have paths such as `builtin:read`. */
const PI_EXTENSIONS: Readonly<Record<string, KnownTool["from"]>> = {
	"builtin:mcp": "mcp",
	"builtin:codemode": "codemode",
	"builtin:tool-search": "tool_search",
};

/** A tool that an application gave to pi in code has no file, so a child cannot load it. */
function knownTool(
	tool: ReturnType<ExtensionAPI["getAllTools"]>[number],
	mayLoad: (file: string) => boolean,
): KnownTool[] {
	const { name, sourceInfo } = tool;
	const from = PI_EXTENSIONS[sourceInfo.path];
	// Tools that the user has hidden are registered too.
	if (from !== undefined) return Reflect.get(tool, "exposure") === "hidden" ? [] : [{ name, from }];
	if (sourceInfo.source === "builtin") return [{ name }];
	if (!isAbsolute(sourceInfo.path)) return [];
	return [{ name, extension: sourceInfo.path, ...(!mayLoad(sourceInfo.path) && { untrusted: true as const }) }];
}

/** Searches the models that have credentials. */
const resolveModel = (
	ctx: ExtensionContext,
	name: string,
	principalDir: string | undefined,
): Promise<ResolvedModel | undefined> => resolveAmong(availableTo(ctx, principalDir), name, ctx.model?.provider);

type PiModels = ReturnType<ExtensionContext["modelRegistry"]["getAll"]>;

export const resolveAmong = (
	models: PiModels,
	name: string,
	ownProvider: string | undefined,
): Promise<ResolvedModel | undefined> => readModelName(name, { models, ownProvider, readByPi });

async function readByPi(name: string, models: readonly PiModels[number][]): Promise<ResolvedModel | undefined> {
	// pi's resolver needs only this of a runtime, and an extension cannot get one otherwise.
	const available = { getAvailable: async () => models } as unknown as ModelRuntime;
	const { scopedModels, diagnostics } = await resolveModelScopeWithDiagnostics([name], available);
	const [found] = scopedModels;
	if (!found) return undefined;
	return {
		model: { provider: found.model.provider, id: found.model.id },
		...(found.thinkingLevel && { thinking: found.thinkingLevel }),
		// The caller chose among the providers and reports that several have the model (pi >= 1.0 reports that here too).
		warnings: diagnostics.filter(({ code }: { code?: string }) => code !== "ambiguous").map(({ message }) => message),
	};
}

function availableTo({ modelRegistry }: ExtensionContext, principalDir: string | undefined) {
	const available = modelRegistry.getAvailable();
	if (principalDir === undefined) return available;
	const known = new Set(available.map(({ provider }) => provider));
	const others = modelRegistry.getAll().filter(({ provider }) => !known.has(provider));
	const authFile = join(principalDir, "auth.json");
	const opened = [...new Set(others.map(({ provider }) => provider))].filter(
		(provider) => readStoredCredential(provider, authFile) !== undefined,
	);
	return [...available, ...others.filter(({ provider }) => opened.includes(provider))];
}
