import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { columnsOf } from "../../src/operate/report/layout.ts";
import type { Home } from "../helpers/home.ts";
import { useHome } from "../helpers/use-home.ts";
import { admission } from "../ledger/samples.ts";
import { cliFile } from "./pi-geon.ts";

const openHome = useHome();

/** Everything that the command writes to a terminal of this width. */
function inTerminal(home: Home, args: string[], { cols, env = {} }: { cols: number; env?: Record<string, string> }) {
	return new Promise<{ code: number; output: string }>((resolve) => {
		const options = { name: "xterm-256color", cols, rows: 24, cwd: home.project, env: { ...home.env, ...env } };
		const pty = spawn(process.execPath, [cliFile(), ...args], options);
		let output = "";
		pty.onData((data) => {
			output += data;
		});
		pty.onExit(({ exitCode }) => resolve({ code: exitCode, output }));
	});
}

/** What stands in a line after all that was written over it. */
const shownLines = (output: string): string[] =>
	output.split("\r\n").map((line) => stripVTControlCharacters(line.split("\r").at(-1) ?? ""));

test.each([30, 60, 100])("in a terminal of %i columns no line is broken by it", async (cols) => {
	const home = await openHome({});
	mkdirSync(join(home.agentDir, "pi-geon"), { recursive: true, mode: 0o700 });
	const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
	const wide = "見る。".repeat(40);
	admitRun(ledger, admission({ mode: "background", label: wide, task: "Look.\n".repeat(50) }));
	admitRun(ledger, admission({ mode: "background", task: `\u001b[31m${"Look. ".repeat(50)}` }));
	ledger.close();
	for (const args of [["list"], ["info", "last"], ["logs"], ["agents"]]) {
		const { code, output } = await inTerminal(home, args, { cols });
		expect(code).toBe(0);
		// Ids and paths stay whole, so that they can be copied.
		const tooWide = shownLines(output).filter((line) => columnsOf(line) > cols && !/\S{25,}$/.test(line));
		expect(tooWide).toEqual([]);
		expect(output).not.toContain("\u001b[31m");
	}
});

test("the doctor shows what it is at, and colours only where they are wanted", async () => {
	const home = await openHome({});
	const env = { PATH: "/nowhere" }; // Without a pi to start: quick, and with things to warn of.
	const colored = await inTerminal(home, ["doctor"], { cols: 60, env });
	expect(colored.output).toContain("ledger…");
	expect(colored.output).toContain("\u001b[32mok\u001b[39m");
	expect(colored.output).toContain("\u001b[33mwarn\u001b[39m");
	expect(shownLines(colored.output).filter((line) => columnsOf(line) > 60)).toEqual([]);
	expect(shownLines(colored.output).join("\n")).not.toContain("ledger…");
	const plain = await inTerminal(home, ["doctor"], { cols: 60, env: { ...env, NO_COLOR: "1" } });
	expect(plain.output).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`));
});
