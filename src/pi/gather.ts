/** Runs that end within this time of each other are announced together, … */
const TOGETHER_MS = 200;
/** … unless that holds up the first of them for longer than this. */
const GATHER_MS = 1500;

/** Waits for more of what is looked for: as long as some comes, but not for long. */
export async function gather<Item>(first: Item[], look: () => Promise<Item[]>): Promise<Item[]> {
	const until = Date.now() + GATHER_MS;
	for (let known = first; ; ) {
		await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
		const found = await look();
		if (found.length <= known.length || Date.now() >= until) return found;
		known = found;
	}
}
