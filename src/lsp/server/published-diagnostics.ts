import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Diagnostic, PublishDiagnosticsParams } from "vscode-languageserver-protocol";
import type { ServerLimits } from "./limits.ts";

const POLL_MS = 25;

interface Published {
	/** Whether they are about the latest version that the server got. */
	isCurrent: boolean;
	version: number;
	items: Diagnostic[];
	at: number;
}

/** The diagnostics that a server publishes by itself about its open files. */
export class PublishedDiagnostics {
	readonly #limits: ServerLimits;
	readonly #byPath = new Map<string, Published>();
	#changedAt = 0;

	constructor(limits: ServerLimits) {
		this.#limits = limits;
	}

	/** The server got a new text: its earlier diagnostics are about the old one. */
	expect(path: string, version: number): void {
		this.#byPath.set(path, { isCurrent: false, version, items: [], at: 0 });
		this.somethingChanged();
	}

	/** A file changed, so the server may publish diagnostics of other files again. */
	somethingChanged(): void {
		this.#changedAt = performance.now();
	}

	forget(path: string): void {
		this.#byPath.delete(path);
	}

	take({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
		if (!uri.startsWith("file:")) return;
		const known = this.#byPath.get(fileURLToPath(uri));
		// Keep only those of files that were opened here: some servers report on whole projects.
		if (!known || (version ?? known.version) < known.version) return;
		known.isCurrent = true;
		known.items = diagnostics;
		known.at = performance.now();
	}

	/** Resolves once the server has published something and then nothing more for a while. Undefined if it never does. */
	async settled(
		path: string,
		signal?: AbortSignal,
		ms = this.#limits.diagnosticsMs,
	): Promise<Diagnostic[] | undefined> {
		const { settleMs } = this.#limits;
		const deadline = performance.now() + ms;
		while (performance.now() < deadline) {
			const known = this.#byPath.get(path);
			const quietSince = Math.max(known?.at ?? 0, this.#changedAt);
			if (known?.isCurrent && performance.now() - quietSince >= settleMs) return known.items;
			await sleep(POLL_MS, undefined, { ...(signal && { signal }) });
		}
		return undefined;
	}
}
