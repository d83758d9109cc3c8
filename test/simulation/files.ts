import type { SessionFiles } from "../../src/ports/session-files.ts";
import type { SimProcess } from "./process.ts";
import { systemError } from "./system-error.ts";
import type { World } from "./world.ts";

/** Where the simulated subagents work. */
export const FOLDER = "/repo";

/** The session files of the simulated machine. */
export class SimFiles {
	readonly #world: World;
	readonly #disk = new Map<string, string>();
	/** Who wrote what, in order: what the checker wants to know. */
	readonly appends: { pid: number; file: string; entry: string; at: number }[] = [];

	constructor(world: World) {
		this.#world = world;
	}

	get names(): string[] {
		return [...this.#disk.keys()];
	}

	text(file: string): string | undefined {
		return this.#disk.get(file);
	}

	/** Writes a whole line, or fails; or dies in the middle of it. */
	append(process: SimProcess, file: string, entry: { id: string }, place: string): void {
		process.requireAlive();
		if (this.#world.isFull()) throw systemError("ENOSPC");
		const line = `${JSON.stringify(entry)}\n`;
		const written = process.tornAt(place) ? line.slice(0, line.length >> 1) : line;
		process.point(`before ${place}`);
		this.#disk.set(file, (this.#disk.get(file) ?? "") + written);
		this.appends.push({ pid: process.pid, file, entry: entry.id, at: this.#world.scheduler.time });
		if (written !== line) this.#world.tear(process, place);
		process.point(place);
	}

	/** What pi does when it opens a file whose last line was never finished. */
	endLine(file: string): void {
		const text = this.#disk.get(file);
		if (text !== undefined && text !== "" && !text.endsWith("\n")) this.#disk.set(file, `${text}\n`);
	}

	of(process: SimProcess): SessionFiles {
		return {
			exists: (file) => {
				process.requireAlive();
				return file === FOLDER || this.#disk.has(file);
			},
			read: (file) => {
				process.requireAlive();
				return this.#get(file);
			},
			hasRoom: () => !this.#world.isFull(),
			flush: (file) => {
				process.point("flush");
				this.#get(file);
			},
			rename: (from, to) => {
				process.point("before rename");
				const text = this.#get(from);
				this.#disk.delete(from);
				this.#disk.set(to, text);
				process.point("rename");
			},
		};
	}

	#get(file: string): string {
		const text = this.#disk.get(file);
		if (text === undefined) throw systemError("ENOENT");
		return text;
	}
}
