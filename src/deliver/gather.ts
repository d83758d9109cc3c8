import type { Clock } from "../ports/clock.ts";

/** Runs that end within this time of each other are announced together, … */
const TOGETHER_MS = 200;
/** … unless that holds up the first of them for longer than this. */
const GATHER_MS = 1500;

/** Waits for more of what is looked for: as long as some comes, but not for long. */
export async function gather<Item>(first: Item[], look: () => Promise<Item[]>, clock: Clock): Promise<Item[]> {
	const until = clock.elapsed() + GATHER_MS;
	for (let known = first; ; ) {
		await clock.sleep(TOGETHER_MS);
		const found = await look();
		if (found.length <= known.length || clock.elapsed() >= until) return found;
		known = found;
	}
}
