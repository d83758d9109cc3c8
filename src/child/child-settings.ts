import { statSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, SettingsManager } from "@earendil-works/pi-coding-agent";

type Storage = Parameters<typeof SettingsManager.fromStorage>[0];

/**
 * pi's settings for one child. pi locks each settings file to read it, twice for a session, and whoever finds it locked
 * waits with its whole process. So a file that has not changed is not read again.
 */
export function childSettings(cwd: string, agentDir: string, options: { projectTrusted: boolean }): SettingsManager {
	const key = `${agentDir}\n${cwd}`;
	const known = storages.get(key);
	if (known) return SettingsManager.fromStorage(known, options);
	const settings = SettingsManager.create(cwd, agentDir, options);
	const locked: unknown = Reflect.get(settings, "storage");
	// A pi that keeps it elsewhere reads its files as often as it likes.
	if (isStorage(locked)) {
		const files = { global: join(agentDir, "settings.json"), project: join(cwd, CONFIG_DIR_NAME, "settings.json") };
		storages.set(key, rememberingStorage(locked, files));
	}
	return settings;
}

const storages = new Map<string, Storage>();

function rememberingStorage(locked: Storage, files: { global: string; project: string }): Storage {
	const read = new Map<string, { version: string; text: string | undefined }>();
	return {
		withLock(scope, use) {
			const version = settingsVersion(files[scope]);
			const known = read.get(scope);
			// Whoever answers with a text wants it written: on the file as it is now, and under the lock.
			if (known?.version === version && use(known.text) === undefined) return;
			locked.withLock(scope, (text) => {
				read.set(scope, { version, text });
				return use(text);
			});
		},
	};
}

function settingsVersion(file: string): string {
	const stats = statSync(file, { throwIfNoEntry: false });
	return stats ? `${stats.mtimeMs} ${stats.size}` : "missing";
}

const isStorage = (storage: unknown): storage is Storage =>
	typeof storage === "object" && storage !== null && typeof Reflect.get(storage, "withLock") === "function";
