import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();

/** A parent that calls what it is told to (`subagent tester`), and says what it heard otherwise. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [tool, agent] = lastUserText.split(" ");
	if (tool === "subagent" || tool === "sessions_spawn") return toolCall(tool, { agent, task: "Look." });
	return text(`I have heard ${JSON.stringify(messages).split("Status: ").length - 1} announces.`);
};

test("a configuration that cannot be read any more lifts nothing that it forbade, and is reported once", async () => {
	const script = dispatch({ parent, child: () => finalize("Seen.") });
	const config = { subagents: { disabled: ["tester"] }, tools: { subagents: { tools: { deny: ["read"] } } } };
	const home = await openHome({ script, config });
	const rpc = startRpc(home);
	const file = join(home.agentDir, "pi-geon.json");
	const warnings = () =>
		rpc.events.filter((event) => event.type === "extension_ui_request" && event.method === "notify");
	await rpc.promptAndSettle("subagent tester");
	expect(warnings()).toEqual([]);

	for (const broken of ["", readFileSync(file, "utf8").slice(0, -1)]) {
		const before = warnings().length;
		writeFileSync(file, broken);
		expect(JSON.stringify(await rpc.promptAndSettle("subagent tester"))).toContain("SUBAGENT_DISABLED");
		await rpc.promptAndSettle("subagent explorer");
		expect(home.model.requests.findLast(({ isChild }) => isChild)?.tools).not.toContain("read");
		expect(warnings().slice(before)).toEqual([
			expect.objectContaining({ message: expect.stringContaining("stay in force") }),
		]);
	}

	writeFileSync(file, "{}");
	await rpc.promptAndSettle("subagent tester");
	expect(home.model.requests.findLast(({ isChild }) => isChild)?.tools).toContain("read");
	await rpc.close();
});

longTest("what is owed is told also where subagents are switched off meanwhile, and can be looked at", async () => {
	const opened = gate();
	const child: Script = async () => {
		await opened.opened;
		return finalize("Seen.");
	};
	// Not told apart by whether they can delegate: in the end, nobody can.
	const script: Script = (request) => (request.tools.includes("subagent_finalize") ? child : parent)(request);
	const home = await openHome({ script });
	const rpc = startRpc(home);
	await rpc.promptAndSettle("sessions_spawn explorer");
	const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
	await home.model.waitFor(({ tools }) => tools.includes("subagent_finalize"));
	await rpc.close();
	writeFileSync(join(home.agentDir, "pi-geon.json"), JSON.stringify({ subagents: { enabled: false } }));
	opened.open();
	const again = startRpc(home, { args: ["--session", sessionFile] });
	await again.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	expect(home.model.requests.at(-1)?.tools).not.toContain("subagent");
	await again.close();
});
