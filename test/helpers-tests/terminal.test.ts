import { describe, expect, test } from "vitest";
import { somePi, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

describe.each(somePi(import.meta.url))("the terminal with pi %s", (version) => {
	test("shows pi, takes a prompt and shows the answer, even after a resize", async () => {
		const home = await openHome({ extension: false, script: ({ lastUserText }) => `Echo of <${lastUserText}>` });
		const terminal = startTerminal(home, { version, cols: 80, rows: 24 });
		await terminal.ready();
		await terminal.waitForText(/parent/);
		terminal.type("hello there");
		await terminal.waitForText(/hello there/);
		terminal.key("enter");
		await terminal.waitForText(/Echo of <hello there>/);
		expect(terminal.screen()).toHaveLength(24);
		terminal.resize(60, 20);
		await terminal.waitForText(/Echo of <hello there>/);
		expect(terminal.screen()).toHaveLength(20);
		expect(terminal.history().length).toBeGreaterThanOrEqual(20);
		terminal.key("ctrl+d");
		expect(await terminal.exited).toBe(0);
	});
});

test("a text that never shows is an error with the screen in it", async () => {
	const home = await openHome({ extension: false, script: () => "" });
	const terminal = startTerminal(home);
	await terminal.waitForText(/parent/);
	await expect(terminal.waitForText(/no such text/, 50)).rejects.toThrow(/within 50 ms:\n.*parent/s);
	expect(terminal.pid).toBeGreaterThan(1);
});
