import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { changeTimes, hasExtension, sourceFiles } from "../project-files.ts";
import type { ServerDefinition } from "./definition.ts";

const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

/**
 * Tells a server which files of its project have changed, since most servers leave that to their client. A check before each
 * request takes milliseconds, and needs no file watches, which a system has few of.
 */
export class WatchedFiles {
	readonly #root: string;
	readonly #isWatched: (name: string) => boolean;
	readonly #notify: (method: string, params: object) => void;
	#known: Map<string, number> | undefined;

	constructor(
		{ root, definition }: { root: string; definition: ServerDefinition },
		notify: (method: string, params: object) => void,
	) {
		const isSource = hasExtension(definition.languages);
		this.#root = root;
		const { rootMarkers, workspaceMarkers = [] } = definition;
		const markers = new Set([...rootMarkers, ...workspaceMarkers.map(({ file }) => basename(file))]);
		this.#isWatched = (name) => isSource(name) || markers.has(name);
		this.#notify = notify;
	}

	/** Whether there was anything to report. The first look finds no changes. */
	async report(): Promise<boolean> {
		const before = this.#known;
		const now = await changeTimes(await sourceFiles(this.#root, this.#isWatched));
		this.#known = now;
		if (!before) return false;
		const added = [...now].flatMap(([path, time]) => {
			const known = before.get(path);
			if (known === time) return [];
			return [{ uri: pathToFileURL(path).href, type: known === undefined ? CREATED : CHANGED }];
		});
		const removed = [...before.keys()].filter((path) => !now.has(path));
		const changes = [...added, ...removed.map((path) => ({ uri: pathToFileURL(path).href, type: DELETED }))];
		if (changes.length > 0) this.#notify("workspace/didChangeWatchedFiles", { changes });
		return changes.length > 0;
	}
}
