import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
	DefaultPackageManager,
	type ExtensionContext,
	getAgentDir,
	ModelRuntime,
	parseArgs,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { packageRoot } from "../config/package-root.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { placesIn } from "../ledger/places.ts";
import type { ModelSource } from "../plan/model.ts";
import type { ModelChoice } from "../plan/plan.ts";
import { currentProfile } from "../supervise/current-profile.ts";
import { filesOfProvider } from "../supervise/provider-files.ts";
import { loadableAgain, whyNotAgain } from "./project-extensions.ts";
import { hostEntry } from "./session-services.ts";

/** Where a child gets one of this pi's models from. */
export async function modelSource(
	ctx: ExtensionContext,
	model: ModelChoice,
	{ fresh = false } = {},
): Promise<ModelSource> {
	const { provider, id } = model;
	if (!ctx.modelRegistry.getRegisteredProviderIds().includes(provider)) return { kind: "pi" };
	const agentDir = getAgentDir();
	const extensions = await extensionFiles(ctx.cwd, isTrustedByDecision(ctx));
	const candidates = extensions.filter(loadableAgain(ctx));
	const found = await filesOfProvider({
		provider,
		candidates,
		profile: currentProfile(hostEntry()),
		places: placesIn(agentDir),
		fresh,
	});
	if (found.kind === "found") return { kind: "extensions", files: found.files };
	const passedOver = extensions.filter((file) => !candidates.includes(file));
	const why = [found.why, ...(passedOver.length > 0 ? [whyNotAgain(passedOver)] : [])].join("; ");
	const runtime = await ModelRuntime.create({
		authPath: join(agentDir, "auth.json"),
		modelsPath: join(agentDir, "models.json"),
	});
	if (!runtime.getModel(provider, id)) return { kind: "unusable", why };
	// Here, an extension changes one of pi's own providers, for example its address.
	const warning = `${provider}/${id} was used as pi has it, without the changes of an extension: ${why}.`;
	return { kind: "pi", warning };
}

/** The extension files that pi loads here, in its order. Finds them without loading or installing anything. */
async function extensionFiles(cwd: string, projectTrusted: boolean): Promise<string[]> {
	const agentDir = getAgentDir();
	const settingsManager = SettingsManager.create(cwd, agentDir, { projectTrusted });
	const packages = new DefaultPackageManager({ cwd, agentDir, settingsManager });
	// A program that embeds pi has other arguments, which contain none of these.
	const { extensions: given = [], noExtensions } = parseArgs(process.argv.slice(2));
	const local = given.map((path) => resolve(path)).filter((path) => existsSync(path));
	const onCommandLine = await packages.resolveExtensionSources(local, { temporary: true });
	const configured = noExtensions ? [] : (await packages.resolve(async () => "skip")).extensions;
	const files = [...onCommandLine.extensions, ...configured].filter(({ enabled }) => enabled).map(({ path }) => path);
	return [...new Set(files)].filter((file) => !file.startsWith(packageRoot()));
}
