import type { PiVersion } from "../helpers/repository.ts";
import { World } from "./world.ts";

/** A simulated machine on which nothing goes wrong by itself, for tests of single parts in virtual time. */
export function quietWorld({ pi = "0.87.1" }: { pi?: PiVersion } = {}): World {
	const nothing = { parents: [], faults: {}, troubles: [] };
	return new World({ ...nothing, seed: 1, pi, laneLimit: 1, maxAttempts: 1, tellsStarts: true });
}
