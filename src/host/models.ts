import { statSync } from "node:fs";
import { ModelRuntime } from "@earendil-works/pi-coding-agent";

/** pi's models and credentials, read anew when the user changed them since: a host may live through a /login. */
export function freshModelRuntime(authPath: string, modelsPath: string): () => Promise<ModelRuntime> {
	let current: { version: string; runtime: Promise<ModelRuntime> } | undefined;
	return () => {
		const version = [authPath, modelsPath].map(modificationTime).join(" ");
		if (current?.version !== version) current = { version, runtime: ModelRuntime.create({ authPath, modelsPath }) };
		return current.runtime;
	};
}

const modificationTime = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
