import { readFileSync } from "node:fs";
import type { CredentialStore } from "@earendil-works/pi-ai";
import { ModelRuntime } from "@earendil-works/pi-coding-agent";
import { SetupFailed } from "./session-file.ts";

/**
 * A principal's credentials with main's below them. Nothing is copied: each is read from the store that has it, and a
 * token that pi renews is written by pi to the file it came from.
 *
 * Whether a provider is the principal's is told by the names in its store, not by whether the key is available: to fall
 * back on main's account because of a missing variable would be worse than to fail.
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
 * pi's own store of an existing auth.json, with its locks and its way to read keys. pi does not export it: it is taken
 * from a runtime that is made for nothing else. Only for a file that exists, since pi would create it.
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
	// A file that pi cannot read or lock is an empty store to it. The run would go to main's account without a word.
	if ((await store.list()).length === 0 && !/^\s*(\{\s*\}\s*)?$/.test(readFileSync(authPath, "utf8"))) {
		throw new SetupFailed(`The credentials in ${authPath} cannot be read. Check that it is valid JSON and writable.`);
	}
	return store;
}

const isStore = (store: unknown): store is CredentialStore =>
	typeof store === "object" &&
	store !== null &&
	["read", "list", "modify", "delete"].every((name) => typeof Reflect.get(store, name) === "function");
