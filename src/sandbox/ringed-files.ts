import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { denialsIn } from "./denials.ts";
import { isShown, type Mount, outsidePath } from "./mounts.ts";
import { pathOfDescriptor, pathOfOpened, whereItLeads } from "./opened-path.ts";
import { type Ring, ringMounts } from "./ring.ts";
import { runInRing } from "./run-in-ring.ts";

const MOUNTS_KEPT_MS = 250;

/**
 * The files of a ring, for tools that are not processes. A process in the ring writes, so that the kernel decides. This
 * process reads, since another one would take 5 ms each time. It checks the real path once the file is open, so that neither
 * a link nor a race leads to a file that the ring hides.
 */
export class RingedFiles {
	readonly #ring: () => Ring;
	#mounts: { at: number; list: Mount[] } | undefined;

	constructor(ring: () => Ring) {
		this.#ring = ring;
	}

	async read(path: string): Promise<Buffer> {
		return this.#opened(path, async (file) => {
			await refuseEndless(file, path);
			await refuseHuge(file, path);
			return file.readFile();
		});
	}

	/** Fails if the file cannot be read. */
	async access(path: string): Promise<void> {
		await this.#opened(path, async () => undefined);
	}

	/** Inspects an open file through a path that is certain to lead to it. */
	async describe<T>(path: string, look: (opened: string) => Promise<T>): Promise<T> {
		return this.#opened(path, async (file, again) => {
			await refuseEndless(file, path);
			return look(again);
		});
	}

	list(path: string): Promise<string[]> {
		return this.#opened(path, (_folder, again) => readdir(again));
	}

	stat(path: string): Promise<{ isDirectory: () => boolean }> {
		return this.#opened(path, (file) => file.stat(), TO_LOOK_AT);
	}

	/** Also creates the folders above the file. */
	async write(path: string, content: string): Promise<void> {
		const command = ["/bin/sh", "-c", WRITE, "sh", path, dirname(path)];
		const ring = this.#ring();
		const { exitCode, stderr } = await runInRing(ring, command, { input: content, timeoutMs: MOST_WRITE_MS });
		if (exitCode === 0) return;
		const why = stderr.trim().replace(/^(\/bin\/)?sh: (\d+: )?/, "") || `exit code ${exitCode}`;
		const denied = denialsIn(stderr, ring.setup);
		if (denied.length > 0) ring.denials++;
		throw new Error([why, ...denied].join("\n"));
	}

	/** `again`: a path that is certain to lead to this file. */
	async #opened<T>(path: string, use: (file: FileHandle, again: string) => Promise<T>, flags = TO_READ): Promise<T> {
		const outside = this.#outside(path);
		const file = await open(outside, flags).catch((error) => {
			// Also hide whether the target of a link exists.
			if (!isShown(this.#view(), whereItLeads(outside))) throw new HiddenFromSubagents(path);
			// The original message has the path outside the ring.
			const { code } = error as NodeJS.ErrnoException;
			throw Object.assign(new Error(`${code}: ${path} cannot be opened.`), { code });
		});
		try {
			const real = pathOfDescriptor(file.fd, outside);
			if (!isShown(this.#view(), real)) throw new HiddenFromSubagents(path);
			return await use(file, pathOfOpened(file.fd, real));
		} finally {
			await file.close();
		}
	}

	#outside(path: string): string {
		const outside = outsidePath(this.#view(), path);
		if (outside === undefined) throw new HiddenFromSubagents(path);
		return outside;
	}

	/** Kept for a moment, because listing a folder asks for each of its entries. */
	#view(): Mount[] {
		const now = performance.now();
		if (!this.#mounts || now - this.#mounts.at > MOUNTS_KEPT_MS)
			this.#mounts = { at: now, list: ringMounts(this.#ring()) };
		return this.#mounts.list;
	}
}

/** Refuses pipes and devices: reading a pipe would block forever, and reading a device would never end. */
async function refuseEndless(file: FileHandle, path: string): Promise<void> {
	const stats = await file.stat();
	if (!stats.isFile() && !stats.isDirectory()) throw new Error(`${path} is not a file.`);
}

/** pi keeps each line of a file as a string. A few hundred megabytes of line breaks would end the host, with all its runs. */
const MOST_READ_BYTES = 32 * 1024 * 1024;

async function refuseHuge(file: FileHandle, path: string): Promise<void> {
	const { size } = await file.stat();
	if (size <= MOST_READ_BYTES) return;
	throw new Error(`${path} is larger than 32 MiB: search it with grep, or have bash print a part of it.`);
}

const TO_READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** With this flag, Linux opens a file for inspection only, even if it may not be read. Node has no name for it. */
const O_PATH = 0o10000000;
const TO_LOOK_AT = process.platform === "linux" ? O_PATH : TO_READ;

/** A pipe without a reader would keep the process until its host exits, long after its run. */
const WRITE = 'if [ -p "$1" ]; then echo "$1 is a pipe" >&2; exit 1; fi; mkdir -p -- "$2" && cat > "$1"';

/** In case the pipe is made after that. */
const MOST_WRITE_MS = 60_000;

class HiddenFromSubagents extends Error {
	override name = "HiddenFromSubagents";
	readonly code = "EACCES";
	constructor(path: string) {
		super(`EACCES: ${path} is hidden from subagents.`);
	}
}
