import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExtensionAPI, type ExtensionContext, getAgentDir, VERSION } from "@earendil-works/pi-coding-agent";
import { namespaceOf } from "../child/mcp-config.ts";
import { configFor } from "../config/config-for.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { placesIn } from "../ledger/places.ts";
import type { DoctorSources, KnownMcp } from "../operate/doctor/sources.ts";
import { thinkingWarnings } from "../operate/model-here.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { currentProfile } from "../supervise/current-profile.ts";
import { modelQuestion, toolSurroundings } from "./commands/agents.ts";
import { modelSource } from "./model-source.ts";
import { hasMcp, knownTools, mcpConfigOf, resolveAmong, silentServers } from "./parent-facts.ts";
import { hostEntry, trustedAgentsFor } from "./session-services.ts";
import type { WriteQuestions } from "./write-consent.ts";

/** What a pi session can tell the doctor. */
export function doctorSources(pi: ExtensionAPI, ctx: ExtensionContext, questions: WriteQuestions): DoctorSources {
	const agentDir = getAgentDir();
	const profile = currentProfile(hostEntry());
	const { modelRegistry } = ctx;
	return {
		agentDir,
		cwd: ctx.cwd,
		homeDir: homedir(),
		env: process.env,
		places: placesIn(agentDir),
		sessionsRoot: sessionsRoot(agentDir, homedir()),
		pi: { version: VERSION, where: profile.command.at(-1) ?? "" },
		isLoaded: true,
		profile,
		config: configFor(ctx),
		catalog: trustedAgentsFor(ctx),
		isTrusted: isTrustedByDecision(ctx),
		// Read on demand, since servers may have connected in the meantime.
		get tools() {
			return toolSurroundings(pi, ctx, questions);
		},
		thinking: (agent) => thinkingWarnings(modelQuestion(agent, configFor(ctx).config, ctx)),
		mcp: (signal) => knownMcp(pi, ctx, signal),
		models: async () => {
			const all = modelRegistry.getAll();
			const known = new Map(all.map((model) => [`${model.provider}/${model.id}`, model]));
			return {
				available: modelRegistry.getAvailable(),
				isKnown: (name) => known.has(name) || all.some(({ id }) => id === name),
				ofSession: ctx.model && { provider: ctx.model.provider, id: ctx.model.id },
				trySource: (model) => modelSource(ctx, model, { fresh: true }),
				resolve: (name) => resolveAmong(modelRegistry.getAvailable(), name, ctx.model?.provider),
			};
		},
	};
}

const CONNECTED_WITHIN_MS = 10_000;
const CONNECTED_YET_EVERY_MS = 50;

async function knownMcp(pi: ExtensionAPI, ctx: ExtensionContext, signal: AbortSignal): Promise<KnownMcp | undefined> {
	if (!hasMcp(pi)) return undefined;
	const { servers, errors } = mcpConfigOf(ctx);
	const deadline = performance.now() + CONNECTED_WITHIN_MS;
	while (silentServers(pi, ctx).length > 0 && performance.now() < deadline && !signal.aborted)
		await sleep(CONNECTED_YET_EVERY_MS);
	const tools = knownTools(pi, ctx);
	const count = (server: string) => tools.filter(({ name }) => name.startsWith(`${namespaceOf(server)}__`)).length;
	const offered = servers.filter(({ config }) => config.exposure !== "hidden");
	return { servers: offered.map(({ name }) => ({ name, tools: count(name) })), errors };
}
