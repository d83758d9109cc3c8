import { describe, expect, test } from "vitest";
import { somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { inSimulation } from "../simulation/in-simulation.ts";
import { beginOnPi, modelOf, OBSERVED } from "../simulation/on-pi.ts";
import { STORIES } from "../simulation/stories.ts";
import { eventually } from "./ledger-of.ts";

const openHome = useHome();

/** The simulator proves as much as its conversation is like pi's: at each moment of a story both look the same. */
describe.each(somePi(import.meta.url))("the simulated conversation is like that of pi %s", (pi) => {
	test("in every story", async () => {
		const stories = Object.entries(STORIES);
		// Two at a time, as many as there are cores where it matters.
		const tell = async () => {
			for (let next = stories.shift(); next; next = stories.shift()) await compare(...next);
		};
		await Promise.all([tell(), tell()]);
	});

	async function compare(name: string, story: (typeof STORIES)[string]): Promise<void> {
		const simulated = await inSimulation(pi, story);
		const { script, answer } = modelOf(story);
		const home = await openHome({ pi, script, extension: OBSERVED });
		const { rpc, observed } = await beginOnPi(home, story, answer);
		await eventually(() => expect([name, ...observed()]).toEqual([name, ...simulated]));
		await rpc.close();
		expect([name, ...observed()]).toEqual([name, ...simulated]);
	}
});
