import { statSync } from "node:fs";
import { DefaultResourceLoader, type ModelRuntime, SettingsManager } from "@earendil-works/pi-coding-agent";
import { isRecord } from "../run/is-record.ts";
import { messageOf } from "../run/message-of.ts";
import { SetupFailed } from "./session-file.ts";

/** Long enough for extensions that ask their service for its models while they load. */
const LOAD_WITHIN_MS = 10_000;

/** A provider that an extension registers while it is loaded. */
export interface ProviderRegistration {
	provider: string;
	registerIn(runtime: ModelRuntime): void;
}

/**
 * The providers that an extension registers. It is loaded without a session, so its tools, commands and hooks are never
 * called. pi's extension runtime keeps registrations until a session uses them.
 */
export async function registrationsOf(
	file: string,
	where: { cwd: string; agentDir: string },
): Promise<ProviderRegistration[]> {
	const loader = new DefaultResourceLoader({
		...where,
		// Without the user's settings, which would load unrelated packages.
		settingsManager: SettingsManager.inMemory(),
		noExtensions: true,
		additionalExtensionPaths: [file],
		noSkills: true,
		noPromptTemplates: true,
		noThemes: true,
		agentsFilesOverride: () => ({ agentsFiles: [] }),
	});
	await withinLoadTime(loader.reload());
	const { errors, runtime } = loader.getExtensions();
	const [error] = errors;
	if (error) throw new Error(error.error);
	return [
		...pending(runtime, "pendingProviderRegistrations", ({ name, config }) => ({
			provider: String(name),
			registerIn: (models) => models.registerProvider(String(name), config as never),
		})),
		...pending(runtime, "pendingNativeProviderRegistrations", ({ provider }) => ({
			provider: idOf(provider, "id"),
			registerIn: (models) => models.registerNativeProvider(provider as never),
		})),
		// pi >= 1.4.
		...pending(runtime, "pendingVirtualModelRegistrations", ({ definition }) => ({
			provider: idOf(definition, "provider"),
			registerIn: (models) => Reflect.get(models, "registerVirtualModel").call(models, definition),
		})),
	];
}

function pending(
	runtime: object,
	list: string,
	read: (entry: Record<string, unknown>) => ProviderRegistration,
): ProviderRegistration[] {
	const entries: unknown = Reflect.get(runtime, list);
	return Array.isArray(entries) ? entries.filter(isRecord).map(read) : [];
}

const idOf = (value: unknown, key: string): string => (isRecord(value) ? String(value[key]) : "");

async function withinLoadTime(loading: Promise<void>): Promise<void> {
	const { promise: tooLong, reject } = Promise.withResolvers<never>();
	const timer = setTimeout(
		() => reject(new Error(`it did not load within ${LOAD_WITHIN_MS / 1000} s`)),
		LOAD_WITHIN_MS,
	);
	try {
		await Promise.race([loading, tooLong]);
	} finally {
		clearTimeout(timer);
	}
}

/** Makes the providers of a plan's extensions known to the models of its run. */
export async function registerProviders(
	runtime: ModelRuntime,
	files: readonly string[],
	where: { cwd: string; agentDir: string },
): Promise<void> {
	for (const file of files) {
		const cannot = (why: string) =>
			new SetupFailed(`The extension ${file}, which provides the model of this run, cannot be used: ${why}`);
		if (!statSync(file, { throwIfNoEntry: false })) throw cannot("the file does not exist any more.");
		const registrations = await registrationsOf(file, where).catch((error: unknown) => {
			throw cannot(`${messageOf(error)}.`);
		});
		if (registrations.length === 0) throw cannot("it registers no provider any more.");
		for (const { registerIn } of registrations) registerIn(runtime);
	}
}
