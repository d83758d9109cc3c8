import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { conversationOf } from "../../src/pi/pi-conversation.ts";
import { observation } from "../simulation/observation.ts";

/**
 * An extension that writes down what pi says of its conversation at each moment, and sends messages into it: `/say A B`,
 * or `A B` in a file when pi first comes to rest. A prompt that begins with "Held" is held up until a file is there.
 */
export default function observed(pi: ExtensionAPI): void {
	const log = process.env.OBSERVED ?? "";
	const record = (moment: string, ctx: ExtensionContext) => {
		const talk = conversationOf(pi, ctx);
		const disk = talk.file !== undefined && existsSync(talk.file) ? readFileSync(talk.file, "utf8") : "";
		appendFileSync(log, `${observation(moment, talk, disk)}\n`);
	};
	const say = (names: string, ctx: ExtensionContext) => {
		const messages = names.split(" ").map((name) => ({ customType: name, content: name, display: true, details: {} }));
		conversationOf(pi, ctx).send(messages);
		record(`sent ${names}`, ctx);
	};
	pi.registerCommand("say", { description: "send", handler: async (names, ctx) => say(names, ctx) });
	pi.on("before_agent_start", async ({ prompt }, ctx) => {
		// pi 1.5.0 says so of messages too, without a prompt.
		if (!prompt?.startsWith("Held")) return;
		record("on its way", ctx);
		appendFileSync(`${log}.held`, "");
		while (!existsSync(`${log}.go`)) await sleep(10);
	});
	pi.on("turn_end", (_event, ctx) => record("turn ended", ctx));
	pi.on("agent_settled", (_event, ctx) => {
		record("settled", ctx);
		const names = `${log}.at-rest`;
		if (!existsSync(names)) return;
		const said = readFileSync(names, "utf8");
		rmSync(names);
		say(said, ctx);
	});
}
