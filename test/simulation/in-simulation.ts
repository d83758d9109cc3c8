import type { PiVersion } from "../helpers/repository.ts";
import { SimConversation, type ToolCall } from "./conversation.ts";
import { observation } from "./observation.ts";
import { quietWorld } from "./quiet-world.ts";
import { SimSession } from "./session-file.ts";
import type { Story } from "./stories.ts";
import type { World } from "./world.ts";

const FILE = "/parents/p0.jsonl";

/** Lives through a story in a simulated conversation, and answers what was seen of it. */
export async function inSimulation(pi: PiVersion, story: Story): Promise<string[]> {
	const { prompt, send, at, fullFrom, again } = story;
	const world = quietWorld({ pi });
	const process = world.start("p0");
	const session = new SimSession(world, process, { file: FILE, id: "session" });
	let observed: string[] = [];
	const reached = new Set<Story["at"]>();
	const record = (moment: string) => observed.push(observation(moment, talk, world.files.text(FILE) ?? ""));
	const reach = (moment: Story["at"]) => {
		if (reached.has(moment)) return;
		reached.add(moment);
		if (moment === fullFrom) world.history.troubles.push({ what: "disk", from: 0, to: Number.POSITIVE_INFINITY });
		if (moment !== at) return;
		talk.send(send.split(" ").map((name) => ({ customType: name, content: name, display: true, details: {} })));
		record(`sent ${send}`);
	};
	let isTelling = false;
	const talk: SimConversation = new SimConversation(world, process, session, {
		promptEntered() {
			if (prompt !== "Held." || !isTelling) return;
			process.clock.after(0, () => {
				record("on its way");
				reach("prompt on its way");
			});
		},
		// A model takes its time.
		promptArrived: () => void process.clock.after(1, () => isTelling && reach("model")),
		turnEnded: async () => void record("turn ended"),
		settled() {
			record("settled");
			if (isTelling) reach("coming to rest");
		},
	});
	await untilOver(world, talk.prompt("First.", []));
	observed = [];
	isTelling = true;
	reach("rest");
	const tool: ToolCall = { id: "1", toolName: "bash", execute: async () => reach("tool") };
	await untilOver(world, prompt && talk.prompt(prompt, prompt === "Use the tool." ? [tool] : []));
	if (again) {
		world.history.troubles.length = 0;
		await untilOver(world, talk.prompt("Again.", []));
	}
	return observed;
}

/** Until nothing is left to happen. */
async function untilOver(world: World, said: Promise<void> | undefined): Promise<void> {
	said?.catch(() => {}); // What pi makes of it is seen.
	await new Promise((resolve) => setImmediate(resolve));
	await world.scheduler.run(() => false);
}
