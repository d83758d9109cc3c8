import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import {
	type ExtensionAPI,
	type ExtensionContext,
	type ModelRuntime,
	readStoredCredential,
	resolveModelScopeWithDiagnostics,
} from "@earendil-works/pi-coding-agent";
import { isTrustedByDecision } from "../config/project-trust.ts";
import type { ParentFacts } from "../plan/launch.ts";
import type { ResolvedModel } from "../plan/model.ts";
import { readModelName } from "../plan/model-name.ts";
import type { KnownTool } from "../plan/tools.ts";
import { delegationDepth } from "../run/delegation-depth.ts";
import { isThinkingLevel } from "../run/thinking.ts";
import { modelSource } from "./model-source.ts";

/** The parent as it is at this moment, as the plan wants to know it. */
export function parentFacts(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	approveProjectAgent: ParentFacts["approveProjectAgent"],
): ParentFacts {
	const thinking: string = pi.getThinkingLevel();
	return {
		cwd: realpathSync(ctx.cwd),
		depth: delegationDepth(process.env),
		activeTools: pi.getActiveTools(),
		knownTools: knownTools(pi),
		model: ctx.model && { provider: ctx.model.provider, id: ctx.model.id },
		thinking: isThinkingLevel(thinking) ? thinking : undefined,
		projectTrusted: isTrustedByDecision(ctx),
		sessionKept: ctx.sessionManager.getSessionFile() !== undefined,
		resolveModel: (name, principalDir) => resolveModel(ctx, name, principalDir),
		modelSource: (model) => modelSource(ctx, model),
		approveProjectAgent,
	};
}

export const knownTools = (pi: ExtensionAPI): KnownTool[] => pi.getAllTools().flatMap(knownTool);

/** pi's own extensions (pi >= 0.99) by the path that pi gives their tools. Core tools have paths such as `builtin:read`. */
const PI_EXTENSIONS: Readonly<Record<string, KnownTool["from"]>> = {
	"builtin:mcp": "mcp",
	"builtin:codemode": "codemode",
	"builtin:tool-search": "tool_search",
};

/** A tool that lives in no file (given to pi in code) cannot be loaded again in a child. */
function knownTool({ name, sourceInfo }: ReturnType<ExtensionAPI["getAllTools"]>[number]): KnownTool[] {
	const from = PI_EXTENSIONS[sourceInfo.path];
	if (from !== undefined) return [{ name, from }];
	if (sourceInfo.source === "builtin") return [{ name }];
	return isAbsolute(sourceInfo.path) ? [{ name, extension: sourceInfo.path }] : [];
}

/** Among the models that have credentials. */
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
	// All that pi's resolver asks of a runtime, and an extension has no other way to it.
	const available = { getAvailable: async () => models } as unknown as ModelRuntime;
	const { scopedModels, diagnostics } = await resolveModelScopeWithDiagnostics([name], available);
	const [found] = scopedModels;
	if (!found) return undefined;
	return {
		model: { provider: found.model.provider, id: found.model.id },
		...(found.thinkingLevel && { thinking: found.thinkingLevel }),
		// That several providers have it (pi >= 1.0) is said by who chose among them.
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
