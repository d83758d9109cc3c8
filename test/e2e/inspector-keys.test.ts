import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startTerminal } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();

/** A parent that spawns the agent it is asked for (`explorer go`), and thanks for announces. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [agent, task] = lastUserText.split(" ");
	return agent === "explorer" || agent === "worker"
		? toolCall("sessions_spawn", { task, agent, label: "the hunt" })
		: text("Thank you.");
};

const verses = Array.from({ length: 60 }, (_, n) => `- verse ${n + 1}`).join("\n");

describe.each(piVersions)("in the inspector of pi %s", (version) => {
	test("a run that has ended is read, copied, resumed and opened", async () => {
		const again = gate();
		const child: Script = async ({ lastUserText, turn }) => {
			if (turn === 0) return [text(verses), toolCall("ls", { path: "." })];
			if (turn === 1) return finalize("The answer of the hunt.");
			await again.opened;
			return finalize(`And then: ${lastUserText.includes("once more")}`);
		};
		const home = await openHome({ script: dispatch({ parent, child }) });
		const terminal = startTerminal(home, { version, cols: 80, rows: 24 });
		await terminal.ready();
		terminal.type("explorer go\r");
		await terminal.waitForText(/Thank you\./);
		terminal.type("/subagents\r");
		await terminal.waitForText(/▸✓ #1 explorer the hunt/);
		terminal.key("enter");
		await terminal.waitForText(/verse 60[\s\S]*→ ls \.[\s\S]*✓ handed over\s+The answer of the hunt\./);

		// It stays where it was scrolled to, says so, and goes on with the key that it names.
		terminal.key("pageUp");
		await terminal.waitForText(/paused, \d+ lines below, f follows/);
		terminal.key("home");
		await terminal.waitForText(/▌ go\s[\s\S]*- verse 1 /);
		terminal.type("f");
		await terminal.waitForText(/The answer of the hunt\./);

		terminal.type("i");
		await terminal.waitForText(/state +done[\s\S]*report +in the conversation/);
		terminal.type("?");
		await terminal.waitForText(/x +stop the run/);
		terminal.key("escape");
		await terminal.waitForText(/The answer of the hunt\./);
		terminal.type("c");
		await terminal.waitForText(/Answer copied\./);

		terminal.type("m");
		await terminal.waitForText(/Resume with/);
		terminal.type("once more\r");
		await terminal.waitForText(/Resumed as run [0-9a-f]{8}\./);
		await home.model.waitFor(({ isChild, lastUserText }) => isChild && lastUserText.includes("once more"));
		await terminal.waitForText(/#2 explorer the hunt[\s\S]*▌ once more[\s\S]* following/);
		terminal.type("o");
		await terminal.waitForText(/It is at work: one session never has two writers\./);
		again.open();
		await terminal.waitForText(/✓ done[\s\S]*And then: true/);

		terminal.type("o");
		await terminal.waitForText(/once more/);
		await terminal.waitForText(/^(?![\s\S]*─ Subagents)/);
		const history = terminal.history().join("\n");
		expect(history).not.toMatch(/stale|Error:/i);
		expect(terminal.overflows()).toEqual([]);
		terminal.type("/quit\r");
		expect(await terminal.exited).toBe(0);
	}, 60_000);

	test("a question of a child is shown, and the inspector is back once it is answered", async () => {
		const mayAsk = gate();
		const child: Script = async ({ toolResults, turn }) => {
			await mayAsk.opened;
			return turn === 0 ? toolCall("asks_confirm", {}) : finalize(toolResults.at(-1)?.text ?? "");
		};
		const home = await openHome({
			script: dispatch({ parent, child }),
			moreExtensions: [join(repositoryRoot, "test", "children", "asking-tools.ts")],
			agents: { "worker.md": agentNamed("worker", "You work.", "tools: asks_confirm") },
			config: { subagents: { allowWrite: true } },
		});
		const terminal = startTerminal(home, { version, cols: 80, rows: 24 });
		await terminal.ready();
		terminal.type("worker go\r");
		await terminal.waitForText(/1 at work/);
		terminal.key("alt+s");
		await terminal.waitForText(/▸● #1 worker the hunt/);
		mayAsk.open();
		await terminal.waitForText(/\[worker "the hunt" [0-9a-f]{8}\] Delete it\?/);
		terminal.key("enter");
		await terminal.waitForText(/▸✓ #1 worker the hunt/);
		terminal.type("q");
		await terminal.waitForText(/heard true with UI true[\s\S]*Thank you\./);
	});
});

test("without the widget nothing is above the editor, and the inspector is there all the same", async () => {
	const done = gate();
	const child: Script = async () => {
		await done.opened;
		return finalize("Found.");
	};
	const home = await openHome({ script: dispatch({ parent, child }), config: { ui: { widget: false } } });
	const terminal = startTerminal(home);
	await terminal.ready();
	terminal.type("explorer go\r");
	await terminal.waitForText(/Spawned\./);
	terminal.key("alt+s");
	await terminal.waitForText(/▸● #1 explorer the hunt/);
	terminal.type("q");
	await terminal.waitForText(/Spawned\./);
	expect(terminal.screen().join("\n")).not.toMatch(/at work/);
	done.open();
	await terminal.waitForText(/Thank you\./);
});
