import { readFileSync } from "node:fs";
import type { CredentialStore } from "@earendil-works/pi-ai";
import { ModelRuntime } from "@earendil-works/pi-coding-agent";
import { SetupFailed } from "./session-file.ts";

/**
 * A principal's credentials with main's below them. Nothing is copied: each is read from the store that has it, and pi
 * writes a token that it renews to the file it came from.
 *
 * A provider that the principal's store names is the principal's, even if its key is not available: falling back on main's
 * account because of a missing variable would be worse than failing.
 */
export function layered(own: CredentialStore, main: CredentialStore): CredentialStore {
	const ownerOf = async (providerId: string): Promise<CredentialStore> =>
		(await own.list()).some((entry) => entry.providerId === providerId) ? own : main;
	return {
		read: async (providerId, options) => (await ownerOf(providerId)).read(providerId, options),
		async list(options) {
			const [ours, mains] = await Promise.all([own.list(options), main.list(options)]);
			const names = new Set(ours.map(({ providerId }) => providerId));
			return [...ours, ...mains.filter(({ providerId }) => !names.has(providerId))];
		},
		modify: async (providerId, change, options) => (await ownerOf(providerId)).modify(providerId, change, options),
		delete: async (providerId, options) => (await ownerOf(providerId)).delete(providerId, options),
	};
}

/**
 * pi's own store of an existing auth.json, with its locks and its way to read keys. pi does not export it, so it is taken
 * from a runtime that is created only for this. Only for a file that exists, since pi would create it.
 */
export async function storeOf(authPath: string): Promise<CredentialStore> {
	const runtime = await ModelRuntime.create({ authPath, modelsPath: null, refreshOnCreate: false });
	const store: unknown = Reflect.get(runtime, "credentials");
	if (!isStore(store)) {
		throw new SetupFailed(
			`This version of pi keeps credentials in a way pi-geon does not know, so those in ${authPath} cannot be used. ` +
				"Update pi-geon, or remove agentDir from that principal in pi-geon.json.",
		);
	}
	// pi treats a file that it cannot read or lock as an empty store. The run would silently use main's account.
	if ((await store.list()).length === 0 && !/^\s*(\{\s*\}\s*)?$/.test(readFileSync(authPath, "utf8"))) {
		throw new SetupFailed(`The credentials in ${authPath} cannot be read. Check that it is valid JSON and writable.`);
	}
	return store;
}

const isStore = (store: unknown): store is CredentialStore =>
	typeof store === "object" &&
	store !== null &&
	["read", "list", "modify", "delete"].every((name) => typeof Reflect.get(store, name) === "function");
