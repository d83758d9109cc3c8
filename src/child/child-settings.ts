import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, SettingsManager } from "@earendil-works/pi-coding-agent";
import { readRegularFile } from "../files/regular-file.ts";
import { hostRing } from "./host-ring.ts";

type Storage = Parameters<typeof SettingsManager.fromStorage>[0];

/**
 * pi's settings for one child. pi locks each settings file to read it, twice for a session, and a process that finds it
 * locked blocks until it is free. So this reads a file again only if it has changed.
 */
export function childSettings(cwd: string, agentDir: string, options: { projectTrusted: boolean }): SettingsManager {
	const key = `${agentDir}\n${cwd}`;
	const known = storages.get(key);
	if (known) return SettingsManager.fromStorage(known, options);
	const files = { global: join(agentDir, "settings.json"), project: join(cwd, CONFIG_DIR_NAME, "settings.json") };
	const isRinged = hostRing().enforced === "kernel";
	// The user's file is the same for all projects. In a ring, project files are read without a lock, so one storage for the
	// user's file serves all projects.
	const ofUser = isRinged ? usersOf.get(agentDir) : undefined;
	if (ofUser) {
		const storage = rememberingStorage(withoutProjectLock(ofUser, files.project), files);
		storages.set(key, storage);
		return SettingsManager.fromStorage(storage, options);
	}
	const settings = SettingsManager.create(cwd, agentDir, options);
	const locked: unknown = Reflect.get(settings, "storage");
	// A pi with another kind of storage reads its files as often as it likes.
	if (isStorage(locked)) {
		usersOf.set(agentDir, locked);
		const storage = rememberingStorage(isRinged ? withoutProjectLock(locked, files.project) : locked, files);
		storages.set(key, storage);
		// In a host's ring, pi cannot create a lock beside the project's file, so it has not read that file.
		if (isRinged && options.projectTrusted) return SettingsManager.fromStorage(storage, options);
	}
	return settings;
}

/** By agent directory and project. */
const storages = new Map<string, Storage>();
/** By agent directory: a storage that reads the user's file. */
const usersOf = new Map<string, Storage>();
/** By file. */
const read = new Map<string, { version: string; text: string | undefined }>();

function rememberingStorage(locked: Storage, files: { global: string; project: string }): Storage {
	return {
		withLock(scope, use) {
			const version = settingsVersion(files[scope]);
			const known = read.get(files[scope]);
			// A callback that returns a text wants it written, which needs the lock.
			if (known?.version === version && use(known.text) === undefined) return;
			locked.withLock(scope, (text) => {
				read.set(files[scope], { version, text });
				return use(text);
			});
		},
	};
}

/** Reads the project's file without a lock: no process in the ring can write it. */
const withoutProjectLock = (locked: Storage, file: string): Storage => ({
	withLock(scope, use) {
		if (scope === "global") locked.withLock(scope, use);
		else if (use(existsSync(file) ? readRegularFile(file) : undefined) !== undefined) {
			throw new Error(`${file} cannot be written by a subagent.`);
		}
	},
});

function settingsVersion(file: string): string {
	const stats = statSync(file, { throwIfNoEntry: false });
	return stats ? `${stats.mtimeMs} ${stats.size}` : "missing";
}

const isStorage = (storage: unknown): storage is Storage =>
	typeof storage === "object" && storage !== null && typeof Reflect.get(storage, "withLock") === "function";
