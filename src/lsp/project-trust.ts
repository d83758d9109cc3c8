import {
	type ExtensionContext,
	getAgentDir,
	hasTrustRequiringProjectResources,
	ProjectTrustStore,
	parseArgs,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";

/**
 * Whether programs and settings of the project may be used. In a user's pi somebody must have decided it: pi calls every
 * folder trusted that has none of the resources it asks about. A child was told the decision of its parent.
 */
export function isProjectTrusted(ctx: ExtensionContext, { isChild }: { isChild: boolean }): boolean {
	if (!ctx.isProjectTrusted()) return false;
	if (isChild || hasTrustRequiringProjectResources(ctx.cwd)) return true;
	if (parseArgs(process.argv.slice(2)).projectTrustOverride === true) return true;
	if (new ProjectTrustStore(getAgentDir()).get(ctx.cwd) === true) return true;
	const settings = SettingsManager.create(ctx.cwd, getAgentDir(), { projectTrusted: false });
	return settings.getDefaultProjectTrust() === "always";
}
