import { parsedLine } from "../../src/run/json-line.ts";
import type { Entry } from "../faults/evidence.ts";
import type { SimProcess } from "./process.ts";
import type { World } from "./world.ts";

export type NewEntry = Omit<Entry, "id" | "parentId" | "timestamp">;

/** A session file that one process writes, as pi does: each entry follows the one before it. */
export class SimSession {
	readonly #world: World;
	readonly #process: SimProcess;
	readonly file: string;
	readonly id: string;
	/** As the process remembers them: pi 0.87.1 keeps an entry that it could not write. */
	readonly entries: Entry[];

	constructor(world: World, process: SimProcess, { file, id }: { file: string; id: string }) {
		this.#world = world;
		this.#process = process;
		this.file = file;
		this.id = id;
		world.files.endLine(file);
		const [header, ...entries] = entriesOf(world, file);
		this.entries = entries;
		if (!header) world.files.append(process, file, { type: "session", id } as Entry, "append session");
	}

	append(entry: NewEntry, kind: string): Entry {
		const whole: Entry = {
			...entry,
			id: `${this.id}-${this.#world.random.between(0, 2 ** 31)}`,
			parentId: this.entries.at(-1)?.id ?? null,
			timestamp: "",
		};
		const keepsUnwritten = this.#world.history.pi === "0.87.1";
		if (keepsUnwritten) this.entries.push(whole);
		this.#world.files.append(this.#process, this.file, whole, `append ${kind}`);
		if (!keepsUnwritten) this.entries.push(whole);
		return whole;
	}
}

/** What can be read of a file: the header, then its entries. A torn line is passed over, as pi does. */
export function entriesOf(world: World, file: string): Entry[] {
	return (world.files.text(file) ?? "").split("\n").flatMap((line) => {
		const entry = parsedLine(line);
		return entry === undefined ? [] : [entry as Entry];
	});
}
