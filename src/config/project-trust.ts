import {
	type ExtensionContext,
	getAgentDir,
	hasTrustRequiringProjectResources,
	ProjectTrustStore,
	parseArgs,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";

/**
 * Whether somebody decided to trust the project. pi's own answer is not enough: it calls every folder trusted that has
 * none of the resources it asks about, and agent files and pi-geon.json are not among those.
 */
export function isTrustedByDecision(ctx: ExtensionContext): boolean {
	if (!ctx.isProjectTrusted()) return false;
	if (process.env.PI_SUBAGENT_CHILD === "1") return true; // A child was told the decision of its parent.
	// A decision made with /trust holds for pi processes to come, so that one look at the files is enough.
	const known = decisions().get(ctx.cwd) ?? wasDecided(ctx);
	decisions().set(ctx.cwd, known);
	return known;
}

const KEY = Symbol.for("pi-geon.trust.1");

/** Shared by all copies of this file in the process, such as that of a release that came in between: they must not disagree. */
function decisions(): Map<string, boolean> {
	const shared = globalThis as { [KEY]?: Map<string, boolean> };
	shared[KEY] ??= new Map();
	return shared[KEY];
}

function wasDecided(ctx: ExtensionContext): boolean {
	if (hasTrustRequiringProjectResources(ctx.cwd)) return true; // pi asked about it.
	if (parseArgs(process.argv.slice(2)).projectTrustOverride === true) return true;
	if (new ProjectTrustStore(getAgentDir()).get(ctx.cwd) === true) return true;
	const settings = SettingsManager.create(ctx.cwd, getAgentDir(), { projectTrusted: false });
	return settings.getDefaultProjectTrust() === "always";
}
