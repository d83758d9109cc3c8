import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { packPackage } from "../helpers/packed-package.ts";
import { piVersions, runPi, startTerminal } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { repositoryIn } from "../trees/repos.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** All that the newcomer knows. */
const README = readFileSync(join(repositoryRoot, "README.md"), "utf8");

/** What the README says to type, in its order. */
const FIVE_THINGS = [...(/## Five things to type\n([\s\S]*?)\n## /.exec(README)?.[1] ?? "").matchAll(/^\| (.+?) \|/gm)]
	.map(([, typed = ""]) => typed.replaceAll("`", ""))
	.filter((typed) => typed !== "you type" && !typed.startsWith("--"));

/** A command as the README writes it. The newcomer knows no others. */
function fromReadme(command: string): string {
	expect(README).toContain(command);
	return command;
}

const SORTER = `---
name: sorter
description: Sorts imports. Use it after a change.
tools: read, edit
---
You sort imports.
`;

const spawn = (agent: string, label: string, task: string) => toolCall("sessions_spawn", { agent, label, task });

/** The model of the parent: it does what the newcomer asks for, and sums up what comes back. */
const parent: Script = ({ lastUserText, lastMessage }): Reply => {
	const asked = (words: string) => lastUserText.includes(words);
	if (lastMessage?.role === "tool") return text(`Summed up: ${lastUserText.slice(0, 40)}`);
	if (asked("three reviewers")) {
		return ["bugs", "tests", "security"].map((focus) => delegateTo("reviewer", `Review the diff for ${focus}.`));
	}
	if (asked("the explorer")) return delegateTo("explorer", "Find where sessions are saved.");
	if (asked("the tester")) return spawn("tester", "gaps", "What is not covered?");
	if (asked("a worker")) return delegateTo("worker", "Fix the failing test.");
	if (asked("the sorter")) return delegateTo("sorter", "Sort the imports of double.js.");
	if (asked("keep looking")) return spawn("explorer", "the long look", "Keep looking.");
	if (asked("overnight")) return spawn("reviewer", "overnight", "Review everything.");
	return text("Noted.");
};

const child =
	(morning: ReturnType<typeof gate>): Script =>
	async ({ firstUserText, turn }): Promise<Reply> => {
		if (firstUserText === "Keep looking.") return [text("Looking."), hang()];
		if (firstUserText === "Review everything.") {
			await morning.opened;
			return finalize("Reviewed overnight.");
		}
		if (firstUserText === "Fix the failing test.") {
			const fixed = { path: "double.js", content: "exports.double = (n) => 2 * n;\n" };
			return turn === 0 ? toolCall("write", fixed) : finalize("Fixed double.js.");
		}
		return finalize(`Answer: ${firstUserText}`);
	};

function enter(terminal: TestTerminal, line: string): void {
	terminal.type(`\x1b[200~${line}\x1b[201~`);
	terminal.key("enter");
}

const double = (home: Home): string => readFileSync(join(home.project, "double.js"), "utf8");

describe.each(piVersions)("a newcomer with nothing but the README, on pi %s", (version) => {
	test("installs the tarball, types five things, adds an agent, applies, stops, leaves and comes back", {
		timeout: 180_000,
	}, async () => {
		const morning = gate();
		const home = await openHome({ script: dispatch({ parent, child: child(morning) }), extension: false });
		repositoryIn(home.project, { "double.js": "exports.double = (n) => n + 1;\n" });
		const before = double(home);

		expect(README).toContain("pi install npm:pi-geon");
		const installed = await runPi(home, ["install", `npm:pi-geon@file:${packPackage(home)}`], { version });
		expect(installed.code, installed.stderr).toBe(0);
		const terminal = startTerminal(home, { version, cols: 140, rows: 60 });
		await terminal.ready();
		await terminal.waitForText(/Subagents: explorer, researcher, reviewer, implementer, tester, worker · alt\+s/);

		const [explore = "", review = "", background = "", write = "", run = "", ...others] = FIVE_THINGS;
		expect(others).toEqual([]);
		enter(terminal, explore);
		await terminal.waitForAnswer(/Answer: Find where sessions are saved\.[\s\S]*Summed up: Have the explorer/);
		enter(terminal, review);
		await terminal.waitForAnswer(/for bugs\.[\s\S]*for tests\.[\s\S]*for security\.[\s\S]*Summed up: Ask three/);
		enter(terminal, background);
		await terminal.waitForText(/Summed up: Start the tester/);
		await terminal.waitForAnswer(/Answer: What is not covered\?/);
		enter(terminal, write);
		await terminal.waitForAnswer(
			/Not in your working tree yet[\s\S]*Fixed double\.js\.[\s\S]*Summed up: Have a worker/,
		);
		enter(terminal, fromReadme("/subagents diff last"));
		await terminal.waitForText(/\+exports\.double = \(n\) => 2 \* n;/);
		expect(double(home)).toBe(before);
		enter(terminal, fromReadme("/subagents apply last"));
		await terminal.waitForText(/Applied the changes of run [0-9a-f]{8} \(1 file\)/);
		expect(double(home)).toBe("exports.double = (n) => 2 * n;\n");
		enter(terminal, run);
		await terminal.waitForText(/Started explorer as run/);
		await terminal.waitForText(/Answer: Where is auth registered\?/);

		const agents = join(home.home, fromReadme("~/.pi/agent/agents").slice(2));
		mkdirSync(agents, { recursive: true });
		writeFileSync(join(agents, "sorter.md"), SORTER);
		enter(terminal, "Have the sorter sort the imports.");
		await terminal.waitForText(/sorter asks for edit\. Let it write in your checkout\?/);
		terminal.key("enter");
		await terminal.waitForAnswer(
			/edit was left out: the user did not let sorter write[\s\S]*Answer: Sort the imports[\s\S]*Summed up: Have the sorter/,
		);

		enter(terminal, "In the background: keep looking.");
		await terminal.waitForAnswer(/Summed up: In the background: keep/);
		await home.model.waitFor(({ firstUserText, isChild }) => isChild && firstUserText === "Keep looking.");
		enter(terminal, fromReadme("/stop"));
		await terminal.waitForText(/✗ stopped 1 run: explorer the long look/);

		enter(terminal, "Review everything overnight.");
		await terminal.waitForAnswer(/Summed up: Review everything overnight/);
		await home.model.waitFor(({ firstUserText, isChild }) => isChild && firstUserText === "Review everything.");
		enter(terminal, "/quit");
		await terminal.exited;
		expect(terminal.history().join("\n")).toMatch(/1 subagent \(reviewer "overnight"\) keeps running without pi\./);
		const command = join(home.agentDir, "npm", "node_modules", "pi-geon", "dist", "cli.js");
		fromReadme("pi-geon list");
		const listed = execFileSync(process.execPath, [command, "list", "--here"], {
			cwd: home.project,
			env: home.env,
			encoding: "utf8",
		});
		expect(listed).toMatch(/^10 runs: 1 running, 9 finished\n\n\S+ +reviewer +"overnight" +running/);

		morning.open();
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toEqual([]));
		fromReadme("pi -c");
		const reopened = startTerminal(home, { version, cols: 140, rows: 60, args: ["-c"] });
		await reopened.ready();
		await reopened.waitForText(/Reviewed overnight\./);
	});
});
