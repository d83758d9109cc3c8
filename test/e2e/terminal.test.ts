import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

describe.each(piVersions)("in a real terminal, on pi %s", (version) => {
	test("closing pi stops the child it waits for, and that is not said to be by the user", async () => {
		const home = await openHome({
			script: dispatch({ parent: [delegateTo("explorer", "Look.")], child: () => [text("Half an answer"), hang()] }),
		});
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("Go.\r");
		await terminal.waitForText(/› Half an/);
		terminal.type("/quit\r");
		expect(await terminal.exited).toBe(0);
		await eventually(() =>
			expect(inLedger(home, "SELECT state, stop_by FROM runs")).toEqual([{ state: "ended", stop_by: "the parent" }]),
		);
	});

	test("a delegation is readable at 40 columns while it runs, when it has finished, and expanded", async () => {
		const home = await openHome({
			script: dispatch({
				parent: [delegateTo("explorer", "Find where auth is registered in this project."), text("Done.")],
				child: [toolCall("ls", { path: "." }), finalize("It is in **src/auth.ts**, line 12.")],
			}),
		});
		const terminal = startTerminal(home, { version, cols: 40, rows: 30 });
		await terminal.ready();
		terminal.type("Go.");
		terminal.key("enter");
		const ended = await terminal.waitForText(/Done\./);
		expect(ended.join("\n")).toMatch(/explorer/);
		expect(ended.join("\n")).toMatch(/src\/auth\.ts/);
		terminal.key("ctrl+o");
		await terminal.waitForText(/explorer_[0-9a-f]|[Ss]ession/);
		for (const line of terminal.history()) expect(line.length).toBeLessThanOrEqual(40);
	});
});
