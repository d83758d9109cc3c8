import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text } from "../helpers/model-steps.ts";
import { promptPi, runPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { command, reportsIn } from "./commands.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const isParent = ({ isChild }: { isChild: boolean }): boolean => !isChild;

/** Children that answer at once, unless their task names a gate or says `hang`. */
const working = (gates: Record<string, ReturnType<typeof gate>> = {}) =>
	dispatch({
		parent: () => text("Noted."),
		child: async ({ firstUserText }) => {
			if (firstUserText === "hang") return [text("Half an answer"), hang()];
			await gates[firstUserText]?.opened;
			return finalize(`Answer to ${firstUserText}.`);
		},
	});

describe.each(somePi(import.meta.url))("/subagents run, on pi %s", (version) => {
	test("is typed with completion, reports without a turn, and Esc in an empty prompt stops it", async () => {
		const gates = { "Look around": gate() };
		const home = await openHome({ script: working(gates) });
		const terminal = startTerminal(home, { version, cols: 120, rows: 40 });
		await terminal.ready();
		terminal.type("/subagents run ");
		await terminal.waitForText(/reviewer +Reviews/);
		terminal.type("exp");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/reviewer +Reviews/));
		terminal.key("tab");
		await terminal.waitForText(/\/subagents run explorer $|\/subagents run explorer\s/m);
		terminal.type("Look around\r");
		await terminal.waitForText(/Started explorer as run [0-9a-f]{8}\./);
		await home.model.waitFor(({ isChild }) => isChild);
		await terminal.waitForText(/explorer.*Look around/);
		gates["Look around"].open();
		await terminal.waitForText(/Answer to Look around\./);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toEqual([]));
		expect(home.model.requests.filter(isParent)).toEqual([]);

		terminal.type("What did it say?\r");
		const asked = await home.model.waitFor(isParent);
		expect(JSON.stringify(asked.messages)).toContain("Answer to Look around.");
		await terminal.waitForText(/Noted\./);
		await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]));

		terminal.type("/subagents run explorer hang\r");
		const hanging = await home.model.waitFor(({ firstUserText }) => firstUserText === "hang");
		// In a dialog the key is pi's.
		terminal.type("/model\r");
		await terminal.waitForText(/\[scripted\]/);
		terminal.key("escape");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/\[scripted\]/));
		const stops = () => inLedger(home, "SELECT stop_by FROM runs WHERE stop_at IS NOT NULL");
		expect(stops()).toEqual([]);
		terminal.key("escape");
		await hanging.ended;
		expect(stops()).toEqual([{ stop_by: "the user" }]);
		await terminal.waitForText(/✗ stopped .*explorer/);
		expect(home.model.requests.filter(isParent)).toHaveLength(1);
	});

	longTest("in RPC mode its report is a message without a turn", async () => {
		const home = await openHome({ script: working() });
		const rpc = startRpc(home, { version });
		expect(await command(rpc, "/subagents run explorer Look around")).toEqual({
			text: expect.stringMatching(/^Started explorer as run [0-9a-f]{8}\. Its report comes into this conversation\.$/m),
			type: "info",
		});
		const told = await rpc.waitForEvent(
			({ type, message }) =>
				type === "message_end" && (message as { customType?: string }).customType === "pi-geon:announce",
		);
		expect(JSON.stringify(told)).toContain("Answer to Look around.");
		expect(rpc.events.filter(({ type }) => type === "agent_start")).toEqual([]);
		expect(await command(rpc, "/subagents run exploer x")).toEqual({
			text: expect.stringMatching(/^Unknown agent: exploer\./),
			type: "error",
		});
	});

	test("one-shot modes wait for the report and print it", async () => {
		const home = await openHome({ script: working() });
		const line = "/subagents run explorer Look around";
		const printed = await runPi(home, [...home.extensionArgs, "-p", line], { version });
		expect(printed).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^explorer, run [0-9a-f]{8}: finished \d+s\n(.*\n)*Answer to Look around\.\n$/),
		});
		const { events } = await promptPi(home, line, { version });
		expect(reportsIn(events)).toEqual([expect.stringContaining("Answer to Look around.")]);
		expect(home.model.requests.filter(isParent)).toEqual([]);
	});
});
