import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";

const openHome = useHome();

const LINE = 'The user asks you to delegate this with the tool subagent, agent "explorer".';

const script = dispatch({
	parent: ({ messages, lastMessage }) => {
		if (lastMessage?.role === "tool") return text("It is done.");
		return JSON.stringify(messages).includes(JSON.stringify(LINE).slice(1, -1))
			? delegateTo("explorer", "Look around.")
			: text("Nobody was named.");
	},
	child: () => finalize("Looked around."),
});

describe.each(somePi(import.meta.url))("@agent:, on pi %s", (version) => {
	test("is offered while a prompt is typed, and has the model delegate to that agent", async () => {
		const home = await openHome({ script });
		const terminal = startTerminal(home, { version, cols: 120, rows: 40 });
		await terminal.ready();
		terminal.type("Let @expl");
		await terminal.waitForText(/agent:explorer +Finds/);
		terminal.key("tab");
		await terminal.waitForText(/Let @agent:explorer/);
		terminal.type("look around.\r");
		await terminal.waitForText(/It is done\./);
		expect(terminal.history().join("\n")).toContain("Looked around.");
		expect(terminal.history().join("\n")).not.toContain("asks you to delegate");
	});

	test("works in one-shot modes, and leaves other prompts as they are", async () => {
		const home = await openHome({ script });
		const named = await promptPi(home, "Let @agent:explorer look around.", { version });
		expect(named).toMatchObject({ code: 0, finalText: "It is done." });
		const other = await promptPi(home, "Let @agent:nobody look around.", { version });
		expect(other).toMatchObject({ code: 0, finalText: "Nobody was named." });
	});

	longTest("works in a prompt that is entered while the model works", async () => {
		const first = gate();
		const home = await openHome({
			script: async (request) => {
				if (request.lastUserText === "hello") {
					await first.opened;
					return text("Noted.");
				}
				return script(request);
			},
		});
		const rpc = startRpc(home, { version });
		await rpc.prompt("hello");
		await home.model.waitFor(({ lastUserText }) => lastUserText === "hello");
		await rpc.send({ type: "prompt", message: "Let @agent:explorer look.", streamingBehavior: "followUp" });
		first.open();
		await rpc.waitForEvent(
			({ type, message }) => type === "message_end" && JSON.stringify(message).includes("It is done."),
		);
	});
});
