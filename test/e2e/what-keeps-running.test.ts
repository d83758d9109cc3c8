import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { hostPids } from "../helpers/hosts.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { somePi, startTerminal } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { inLedger } from "./ledger-of.ts";

const openHome = useHome();

const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastUserText === "think") return hang();
	if (lastMessage?.role === "tool") return text("Spawned.");
	return toolCall("sessions_spawn", { task: "Look.", agent: "explorer", label: "the hunt" });
};
const script = dispatch({ parent, child: () => [text("I look."), hang()] });

const written = (terminal: TestTerminal): string => terminal.history().join(" ").replaceAll(/\s+/g, " ");

describe.each(somePi(import.meta.url))("a user in a terminal of pi %s", (version) => {
	test("reads at the start which agents there are and which key shows them, and in an empty list how to begin", async () => {
		const home = await openHome({ script });
		const terminal = startTerminal(home, { version, cols: 120 });
		await terminal.ready();
		await terminal.waitForText(
			/Subagents: explorer, researcher, reviewer, implementer, tester, worker · alt\+s to view/,
		);
		terminal.key("alt+s");
		await terminal.waitForText(/No runs in this session yet\. Ask for one in your own words/);
		expect(home.model.requests).toEqual([]);
	});

	test("reads that background runs keep running, after Esc and after leaving", async () => {
		const home = await openHome({ script });
		// Wide enough for the path of the session: a terminal breaks it anywhere.
		const terminal = startTerminal(home, { version, cols: 250 });
		await terminal.ready();
		terminal.type("spawn\r");
		await terminal.waitForText(/Spawned\./);
		await home.model.waitFor(({ isChild }) => isChild);
		terminal.type("think\r");
		await home.model.waitFor(({ lastUserText }) => lastUserText === "think");
		terminal.key("escape");
		await terminal.waitForText(/1 subagent \(explorer "the hunt"\) keeps running in the background\./);
		terminal.type("/quit\r");
		await terminal.exited;
		const [run] = inLedger<{ state: string; parent_session: string }>(home, "SELECT * FROM runs");
		expect(run?.state).toBe("running");
		const said = written(terminal);
		expect(said).toMatch(
			/1 subagent \(explorer "the hunt"\) keeps running without pi\. No cost so far\. There is no cost limit; the time limit is 1h00m\./,
		);
		expect(said).toContain(`${run?.parent_session}.jsonl`);
		expect(said).toContain("pi-geon list, pi-geon stop <run>");
		expect(hostPids(home)).toHaveLength(1);
		expect(await piGeon(home, ["stop", "all"])).toMatchObject({ code: 0 });
	});
});
