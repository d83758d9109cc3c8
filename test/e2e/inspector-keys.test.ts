import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { BACKGROUND_KEY } from "../../src/pi/background-key.ts";
import { INSPECTOR_KEY } from "../../src/pi/inspector-key.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { drip, hang, text, toolCall } from "../helpers/model-steps.ts";
import { somePi, startTerminal } from "../helpers/pi.ts";
import { cliOf, repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A parent that spawns the agent it is asked for (`explorer go`), and thanks for announces. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [agent, task] = lastUserText.split(" ");
	return agent === "explorer" || agent === "worker"
		? toolCall("sessions_spawn", { task, agent, label: "the hunt" })
		: text("Thank you.");
};

/** A parent that waits for what it delegates. */
const waiting: Script = ({ lastUserText, lastMessage }) =>
	lastMessage?.role === "tool" ? text("That was it.") : delegateTo("explorer", lastUserText);

const verses = Array.from({ length: 60 }, (_, n) => `- verse ${n + 1}`).join("\n");

describe.each(somePi(import.meta.url))("in the inspector of pi %s", (version) => {
	test("a finished run is read, copied, resumed and opened", async () => {
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
		await terminal.waitForText(/verse 60[\s\S]*→ ls \.[\s\S]*✓ answered\s+The answer of the hunt\./);

		// It stays where it was scrolled to, and says how much is below.
		terminal.key("pageUp");
		await terminal.waitForText(/─ \d+ lines below/);
		terminal.key("home");
		await terminal.waitForText(/▌ go\s[\s\S]*- verse 1 /);
		terminal.type("f");
		await terminal.waitForText(/The answer of the hunt\./);

		terminal.type("i");
		await terminal.waitForText(/state +finished \(exit code 0\)[\s\S]*delivery +delivered \d{4}-/);
		terminal.type("?");
		await terminal.waitForText(/x +stop the run/);
		terminal.key("escape");
		await terminal.waitForText(/The answer of the hunt\./);
		terminal.type("c");
		await terminal.waitForText(/Answer copied\./);

		terminal.type("m");
		await terminal.waitForText(/Resume explorer "[^"]+" \(enter sends\)/);
		terminal.type("once more\r");
		await terminal.waitForText(/Resumed as run [0-9a-f]{8}\./);
		await home.model.waitFor(({ isChild, lastUserText }) => isChild && lastUserText.includes("once more"));
		await terminal.waitForText(/#2 explorer the hunt[\s\S]*▌ once more[\s\S]* following/);
		terminal.type("o");
		await terminal.waitForText(/It is still running: its session can be opened when it has finished\./);
		again.open();
		await terminal.waitForText(/✓ finished[\s\S]*And then: true/);

		terminal.type("o");
		await terminal.waitForText(/once more/);
		await terminal.waitForText(/^(?![\s\S]*─ Subagents)/);
		const history = terminal.history().join("\n");
		expect(history).not.toMatch(/stale|Error:|conflict/i);
		expect(terminal.overflows()).toEqual([]);
		// In a copy, beside the conversation that delegated; the session itself is left as it was.
		const transcript = childSession();
		terminal.type("Hello, copy.\r");
		await terminal.waitForText(/Hello, copy\.[\s\S]*Thank you\./);
		expect(childSession()).toBe(transcript);
		const sessions = join(home.agentDir, "sessions");
		const copies = readdirSync(sessions, { recursive: true, encoding: "utf8" })
			.map((name) => join(sessions, name))
			.filter((path) => path.endsWith(".jsonl") && readFileSync(path, "utf8").includes("Hello, copy."));
		expect(copies.map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
		// From there, all the ways are open.
		terminal.type("/new\r");
		await terminal.waitForText(/New session started/);
		terminal.type("/resume\r");
		await terminal.waitForText(/^[› ] explorer go +\d/m);
		terminal.key("escape");
		await terminal.waitForText(/^(?![\s\S]*Resume Session)/);
		terminal.type("/quit\r");
		expect(await terminal.exited).toBe(0);

		function childSession(): string {
			const [run] = inLedger<{ file: string }>(home, "SELECT file FROM sessions");
			return readFileSync(run?.file ?? "", "utf8");
		}
	});

	longTest("a question of a child is shown, and the inspector is back once it is answered", async () => {
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
		await terminal.waitForText(/1 running/);
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

test("a run that is waited for is read while it speaks, and stopped", async () => {
	const child: Script = () => [text("The first half of a "), text("sentence "), hang()];
	const home = await openHome({ script: dispatch({ parent: waiting, child }) });
	const terminal = startTerminal(home);
	await terminal.ready();
	terminal.type("look\r");
	await terminal.waitForText(/● running/);
	terminal.key("alt+s");
	await terminal.waitForText(/▸● #1 explorer look[\s\S]*The first half of a sentence/);
	terminal.type("x");
	await terminal.waitForText(/Stop explorer/);
	terminal.type("n");
	await terminal.waitForText(/Not stopped\./);
	terminal.type("xy");
	await terminal.waitForText(/▸✗ #1 explorer look/);
	terminal.type("q");
	await terminal.waitForText(/✗ stopped[\s\S]*Stopped by the user\.[\s\S]*That was it\./);
});

longTest(
	"a child that speaks fast makes no more than fifteen repaints a second, in the widget or in the inspector",
	async () => {
		const child: Script = () => drip(verses.repeat(50), { everyMs: 4 });
		const home = await openHome({ script: dispatch({ parent, child }) });
		const terminal = startTerminal(home);
		await terminal.ready();
		terminal.type("explorer go\r");
		await terminal.waitForText(/Spawned\.[\s\S]*the hunt › - verse/);
		const inWidget = await framesInThreeSeconds();
		expect(inWidget).toBeLessThanOrEqual(3 * 15);
		terminal.key("alt+s");
		await terminal.waitForText(/#1 explorer the hunt[\s\S]*verse/);
		const inInspector = await framesInThreeSeconds();
		expect(inInspector).toBeLessThanOrEqual(3 * 15);
		// It does show what is new.
		expect(Math.min(inWidget, inInspector)).toBeGreaterThan(3);
		terminal.type("xy");
		await terminal.waitForText(/▸✗ #1/);
		terminal.type("q");
		await terminal.waitForText(/✗ stopped 1 run/);

		async function framesInThreeSeconds(): Promise<number> {
			const second = () => Number(/ (\d+)s(?: *$| │)/m.exec(terminal.screen().join("\n"))?.[1] ?? 0);
			const from = second();
			const before = terminal.frames;
			const later = Array.from({ length: 20 }, (_, more) => from + 3 + more).join("|");
			await terminal.waitForText(new RegExp(` (${later})s(?: *$| │)`, "m"));
			return (terminal.frames - before) * (3 / Math.max(3, second() - from));
		}
	},
);

test.each(somePi(import.meta.url))("our keys are none of the keys of pi %s", (version) => {
	const docs = join(dirname(dirname(dirname(cliOf(version)))), "docs", "keybindings.md");
	const keys = readFileSync(docs, "utf8").match(/`[a-z0-9+\]-]+`/g);
	expect(keys).toContain("`ctrl+o`");
	for (const key of [INSPECTOR_KEY, BACKGROUND_KEY]) expect(keys).not.toContain(`\`${key}\``);
});

longTest("without the widget nothing is above the editor, and the inspector is there all the same", async () => {
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
	expect(terminal.screen().join("\n")).not.toMatch(/\d running/);
	done.open();
	await terminal.waitForText(/Thank you\./);
});
