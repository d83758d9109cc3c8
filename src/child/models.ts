import { statSync } from "node:fs";
import { join } from "node:path";
import { ModelRuntime } from "@earendil-works/pi-coding-agent";
import { layered, storeOf } from "./credentials.ts";
import { registerProviders } from "./provider-extensions.ts";

/**
 * The models and credentials of a principal, which has its own directory or shares main's, with the providers that some
 * extensions register.
 */
export type OpenModels = (ownDir?: string, extensions?: readonly string[]) => Promise<ModelRuntime>;

/**
 * pi's models and credentials, read again when the user has changed them: a host may outlive a /login. The models are
 * main's; the credentials of a principal take precedence over main's.
 */
export function freshModelRuntimes(mainDir: string): OpenModels {
	const modelsPath = join(mainDir, "models.json");
	const mainAuth = join(mainDir, "auth.json");
	const runtimes = new Map<string, { version: string; runtime: Promise<ModelRuntime> }>();
	return (ownDir = mainDir, extensions = []) => {
		const ownAuth = join(ownDir, "auth.json");
		const authPath = modificationTime(ownAuth) === undefined ? mainAuth : ownAuth;
		const version = [mainAuth, modelsPath, authPath, ...extensions].map(modificationTime).join(" ");
		// Runs with other extensions get their own runtime: two extensions may register the same provider.
		const key = [authPath, ...extensions].join("\n");
		const known = runtimes.get(key);
		if (known?.version === version) return known.runtime;
		const runtime = openRuntime({ authPath, mainAuth, modelsPath }).then(async (opened) => {
			await registerProviders(opened, extensions, { cwd: mainDir, agentDir: mainDir });
			return opened;
		});
		runtimes.set(key, { version, runtime });
		// Do not remember a failure: the file may be readable for the next run.
		runtime.catch(() => runtimes.get(key)?.runtime === runtime && runtimes.delete(key));
		return runtime;
	};
}

async function openRuntime(files: { authPath: string; mainAuth: string; modelsPath: string }): Promise<ModelRuntime> {
	const { authPath, mainAuth, modelsPath } = files;
	if (authPath === mainAuth) return ModelRuntime.create({ authPath, modelsPath });
	const own = await storeOf(authPath);
	const hasMain = modificationTime(mainAuth) !== undefined;
	return ModelRuntime.create({ credentials: hasMain ? layered(own, await storeOf(mainAuth)) : own, modelsPath });
}

const modificationTime = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
