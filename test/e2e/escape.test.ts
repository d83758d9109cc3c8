import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo } from "./child.ts";

const openHome = useHome();

// The only time that is promised to a user: it is measured while nothing else runs.
describe.each(piVersions)("in a real terminal, on pi %s", (version) => {
	test("Esc stops the child within a second, and the result says stopped", async () => {
		const home = await openHome({
			script: dispatch({
				parent: ({ lastUserText }) => delegateTo("explorer", lastUserText),
				child: ({ turn, lastUserText }) =>
					turn === 0 ? toolCall("ls", { path: "." }) : [text(`Half an answer to ${lastUserText} so far`), hang()],
			}),
		});
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		const stopped = async (task: string): Promise<number> => {
			terminal.type(`${task}\r`);
			const request = await home.model.waitFor((seen) => seen.isChild && seen.turn === 1 && seen.lastUserText === task);
			await terminal.waitForText(new RegExp(`Half an answer to ${task}`));
			const pressed = performance.now();
			terminal.key("escape");
			await request.ended;
			await terminal.waitForText(new RegExp(`explorer ${task}[^]*Stopped by the user\\.`));
			expect(request.aborted).toBe(true);
			return performance.now() - pressed;
		};
		// A machine that is busy at the wrong moment may be late once; a child that does not hear of it is every time.
		const tookMs = await stopped("First.");
		expect(tookMs < 1000 || (await stopped("Second.")) < 1000).toBe(true);
	});
});
