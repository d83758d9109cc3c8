import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { cliOf, repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const BRIDGE = join(repositoryRoot, "examples", "chat-bridge", "bridge.ts");
const ASKING_TOOLS = join(repositoryRoot, "test", "children", "asking-tools.ts");

const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("It is under way.");
	const [verb, task = ""] = lastUserText.split(" ");
	if (verb === "spawn") return toolCall("sessions_spawn", { agent: "explorer", label: task, task });
	if (verb === "ask") return toolCall("sessions_spawn", { agent: "worker", label: task, task });
	return text(lastUserText.startsWith("Status:") ? "I have read the report." : `You said: ${lastUserText}`);
};

/** The example, run as its README says, with its output by thread. */
class Bridge {
	readonly #process: ChildProcessWithoutNullStreams;
	#output = "";

	constructor(home: Home) {
		const pi = [process.execPath, cliOf("0.87.1"), ...home.extensionArgs];
		this.#process = spawn(process.execPath, [BRIDGE, ...pi], { cwd: home.project, env: home.env });
		this.#process.stdout.on("data", (bytes: Buffer) => {
			this.#output += bytes.toString();
		});
		this.#process.stderr.resume();
	}

	say(line: string): void {
		this.#process.stdin.write(`${line}\n`);
	}

	/** What was posted in a thread. */
	in(thread: string): string {
		const mark = `${thread} | `;
		const lines = this.#output.split("\n").filter((line) => line.startsWith(mark));
		return lines.map((line) => line.slice(mark.length)).join("\n");
	}

	async until(thread: string, pattern: RegExp): Promise<void> {
		await expect.poll(() => this.in(thread)).toMatch(pattern);
	}

	async end(): Promise<void> {
		const ended = once(this.#process, "exit");
		this.#process.stdin.end();
		await ended;
	}
}

test("two threads spawn a run each, and each gets the report of its own", async () => {
	const gates: Record<string, ReturnType<typeof gate>> = { apples: gate(), pears: gate() };
	const home = await openHome({
		script: dispatch({
			parent,
			child: async ({ firstUserText }) => {
				await gates[firstUserText]?.opened;
				return finalize(`All about ${firstUserText}.`);
			},
		}),
	});
	const bridge = new Bridge(home);
	bridge.say("general/1: spawn apples");
	bridge.say("general/2: spawn pears");
	await bridge.until("general/1", /It is under way\./);
	await bridge.until("general/2", /It is under way\./);
	bridge.say("general/1: How are you?");
	await bridge.until("general/1", /You said: How are you\?/);

	gates.pears?.open();
	await bridge.until("general/2", /\[report of pears\]\nStatus: success\nResult: All about pears\./);
	gates.apples?.open();
	await bridge.until("general/1", /\[report of apples\]\nStatus: success\nResult: All about apples\./);
	await bridge.end();
	expect(bridge.in("general/1")).not.toContain("pears");
	expect(bridge.in("general/2")).not.toContain("apples");
});

test("a run that ended while the bridge was away is reported when it is back", async () => {
	const proceed = gate();
	const home = await openHome({
		script: dispatch({
			parent,
			child: async () => {
				await proceed.opened;
				return finalize("All about apples.");
			},
		}),
	});
	const first = new Bridge(home);
	first.say("general/1: spawn apples");
	await first.until("general/1", /It is under way\./);
	const request = await home.model.waitFor(({ isChild }) => isChild);
	await first.end();
	proceed.open();
	await request.ended;
	const second = new Bridge(home);
	await second.until("general/1", /\[report of apples\]\nStatus: success\nResult: All about apples\./);
	await second.end();
});

longTest("a question of a subagent is put to its thread, and the next message there answers it", async () => {
	const home = await openHome({
		moreExtensions: [ASKING_TOOLS],
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: asks_select") },
		config: { subagents: { allowWrite: true } },
		script: dispatch({
			parent,
			child: ({ turn, toolResults }) =>
				turn === 0 ? toolCall("asks_select", {}) : finalize(toolResults.at(-1)?.text ?? ""),
		}),
	});
	const bridge = new Bridge(home);
	bridge.say("general/1: ask something");
	await bridge.until("general/1", /^\[worker "something" [0-9a-f]{8}\] Which\?\none \/ one \(2\) \/ two$/m);
	bridge.say("general/2: Hello");
	await bridge.until("general/2", /You said: Hello/);
	bridge.say("general/1: Two");
	await bridge.until("general/1", /Result: heard "two" with UI true/);
	await bridge.end();
});
