import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type Home, piVersions, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { cannedSubagent } from "./fixtures/canned-subagent.ts";
import { call } from "./rows.ts";

const openHome = useHome();
const sizes = [
	{ cols: 80, rows: 24 },
	{ cols: 40, rows: 20 },
];

describe.each(piVersions)("in the terminal of pi %s", (version) => {
	test.each(sizes)("a delegation is seen queued, running and finished, at $cols columns", async ({ cols, rows }) => {
		const home = await openHome({ extension: cannedSubagent, script: delegateOnce("explorer") });
		const terminal = startTerminal(home, { version, cols, rows });
		await terminal.ready();
		terminal.type("go\r");

		await terminal.waitForText(/○ queued · 2 ahead/);
		await put(home, "start");
		const running = (await terminal.waitForText(/› read src\/server\/auth\.ts/)).join("\n");
		expect(running).toMatch(/subagent explorer\s+Find where auth is registered\. …/);
		expect(running).toMatch(/● running 1\ds · 2 turns/);
		await put(home, "finish");

		const collapsed = (await terminal.waitForText(/All done\./)).join("\n");
		expect(collapsed).toMatch(/✓ finished 1m12s · 3 turns/);
		expect(collapsed).toMatch(/… \d+ more lines, ctrl\+o to expand/);
		terminal.key("ctrl+o");
		await terminal.waitForText(/run 1a2b3c4d\s+session\s+0199c0de-7a11-7000-8000-00000000beef/);
		terminal.key("ctrl+o");
		terminal.resize(cols === 40 ? 100 : 40, rows);
		await terminal.waitForText(/more lines, ctrl\+o to expand/);
	});

	test("a failure is one sentence, with its code and its partial output when expanded", async () => {
		const home = await openHome({
			extension: cannedSubagent,
			script: delegateOnce("tester"),
			files: { start: "", finish: "" },
		});
		const terminal = startTerminal(home, { version, cols: 40, rows: 40 });
		await terminal.ready();
		terminal.type("go\r");
		const collapsed = (await terminal.waitForText(/All done\./)).join("\n");
		expect(collapsed).toMatch(/✗ timed out \(idle limit\) 1m12s\s+It was silent/);
		terminal.key("ctrl+o");
		await terminal.waitForText(/SUBAGENT_TIMEOUT \(idle\): It was silent[\s\S]*Partial output\s+So far: auth\.ts\./);
	});
});

const delegateOnce = (agent: string) => (request: { turn: number }) =>
	request.turn === 0 ? toolCall("subagent", { ...call, agent }) : text("All done.");

const put = (home: Home, name: string) => writeFile(join(home.project, name), "");
