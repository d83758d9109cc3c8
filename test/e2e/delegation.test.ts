import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, promptPi, runPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

const askExplorer = toolCall("subagent", { agent: "explorer", task: "Find where auth is registered." });
const finalize = (result: string) => toolCall("subagent_finalize", { status: "SUCCESS", result });

describe.each(piVersions)("on pi %s", (version) => {
	test("a task goes to a child in another process and its answer comes back", async () => {
		const home = await openHome({
			script: dispatch({
				parent: [askExplorer, text("Done.")],
				child: [toolCall("ls", { path: "." }), finalize("It is in src/auth.ts:12.")],
			}),
			files: { "src/auth.ts": "export const auth = 1;\n" },
		});
		const run = await promptPi(home, "Where is auth registered?", { version });

		expect(run.finalText, run.stderr).toBe("Done.");
		const [result] = run.toolResults;
		expect(result?.text).toContain("It is in src/auth.ts:12.");
		const details = result?.details as SubagentDetails;
		expect(details).toMatchObject({
			mode: "single",
			runId: expect.stringMatching(/^[0-9a-f]{8}$/),
			finalized: { status: "SUCCESS", result: "It is in src/auth.ts:12." },
			results: [{ agent: "explorer", task: "Find where auth is registered.", exitCode: 0, attempts: 1 }],
		});
	});
});
