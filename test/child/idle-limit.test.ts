import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test } from "vitest";
import { watchIdleness } from "../../src/child/endings/idle-limit.ts";
import { EndingRace } from "../../src/child/endings/race.ts";

/** A child whose signs of life come over a connection, as those of a model do. */
async function childBehindConnection(): Promise<{ speak: () => void; events: Parameters<typeof watchIdleness>[1] }> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("No port.");
	const accepted = once(server, "connection");
	const reader = connect(address.port, "127.0.0.1");
	const [writer] = (await accepted) as [Socket];
	onTestFinished(() => {
		reader.destroy();
		writer.destroy();
		server.close();
	});
	return {
		speak: () => writer.write("."),
		events: {
			subscribe: (listener) => {
				const take = () => listener({ type: "turn_start" } as AgentSessionEvent);
				reader.on("data", take);
				return () => reader.off("data", take);
			},
		},
	};
}

const holdUp = (ms: number) => {
	for (const until = performance.now() + ms; performance.now() < until; );
};

test("what a child said while the process was held up counts, however long that was", async () => {
	const { speak, events } = await childBehindConnection();
	const race = new EndingRace();
	const stop = watchIdleness(race, events, 100);
	speak();
	holdUp(300);
	const ended = race.first.then(() => "ended");
	const later = new Promise((resolve) => setTimeout(() => resolve("lives"), 60));
	expect(await Promise.race([ended, later])).toBe("lives");
	expect(await race.first).toMatchObject({ kind: "timeout", limit: "idle" }); // It has said nothing since.
	stop();
});
