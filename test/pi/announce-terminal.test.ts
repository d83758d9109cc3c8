import { describe, expect, test } from "vitest";
import { finalize } from "../e2e/child.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { somePi, startTerminal } from "../helpers/pi.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const answer = ["It is in **src/auth.ts**.", ...[1, 2, 3, 4, 5].map((line) => `- place ${line}`), "", "The end."];

describe.each(somePi(import.meta.url))("in the terminal of pi %s", (version) => {
	test.each(isShare ? [80] : [80, 40])("the report of a background run is a card, at %s columns", async (cols) => {
		const home = await openHome({
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) => {
					if (lastMessage?.role === "tool") return text("On its way.");
					return lastUserText === "go"
						? toolCall("sessions_spawn", { agent: "explorer", label: "the auth hunt", task: "Find auth." })
						: text("Thank you.");
				},
				child: [finalize(answer.join("\n"))],
			}),
		});
		const terminal = startTerminal(home, { version, cols, rows: 40 });
		await terminal.ready();
		terminal.type("go\r");
		const short = (await terminal.waitForText(/Thank you\./)).join("\n");
		expect(short).toMatch(/✓ finished explorer · the auth hunt/);
		expect(short).toMatch(/It is in src\/auth\.ts\./);
		expect(short).toMatch(/… \d+ more lines, ctrl\+o to expand/);
		// A narrow terminal breaks between facts.
		expect(short).toMatch(/\ds · (kernel-enforced|policy only)[\s·]+1 turn[\s·]+10 in \/ 5 out/);
		// Neither the text for the model nor what it is told beside.
		expect(short).not.toMatch(/Status: success|sessionKey/);
		terminal.key("ctrl+o");
		await terminal.waitForText(/The end\.[\s\S]*run [0-9a-f]{8}\s+session key\s+agent:main:subagent:/);
		for (const line of terminal.history()) expect(line.length).toBeLessThanOrEqual(cols);
	});
});
