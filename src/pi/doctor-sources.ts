import { homedir } from "node:os";
import { type ExtensionAPI, type ExtensionContext, getAgentDir, VERSION } from "@earendil-works/pi-coding-agent";
import { configFor } from "../config/config-for.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { placesIn } from "../ledger/places.ts";
import type { DoctorSources } from "../operate/doctor/sources.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { currentProfile } from "../supervise/current-profile.ts";
import { toolSurroundings } from "./commands/agents.ts";
import { modelSource } from "./model-source.ts";
import { resolveAmong } from "./parent-facts.ts";
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
		tools: toolSurroundings(pi, ctx, questions),
		models: async () => {
			const all = modelRegistry.getAll();
			const known = new Map(all.map((model) => [`${model.provider}/${model.id}`, model]));
			return {
				available: modelRegistry.getAvailable(),
				isKnown: (name) => known.has(name) || all.some(({ id }) => id === name),
				ofSession: ctx.model && { provider: ctx.model.provider, id: ctx.model.id },
				trySource: (model) => modelSource(ctx, model, { afresh: true }),
				resolve: (name) => resolveAmong(modelRegistry.getAvailable(), name, ctx.model?.provider),
			};
		},
	};
}
