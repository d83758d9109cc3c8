import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
/** pi 1.5.0 takes one prompt after the other. */
const THAT_DROPS = "0.87.1";

function gateOfPrompts(): string {
	const folder = mkdtempSync(join(tmpdir(), "pg-prompts-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	return join(folder, "gate");
}

/** Returns when pi has begun with every one of them, and our extension holds them. */
async function promptAtOnce(rpc: RpcClient, gate: string, messages: readonly string[]): Promise<void> {
	for (const message of messages) rpc.child.stdin.write(`${JSON.stringify({ type: "prompt", message })}\n`);
	await eventually(() => expect(readFileSync(`${gate}.held`, "utf8").trim().split("\n")).toHaveLength(messages.length));
}

/**
 * Of two prompts that reach pi's agent at the same moment, the second fails, and pi takes itself for idle although it
 * works on the first. An announce that is sent then is dropped by pi.
 */
test("an announce that pi dropped is sent again, once", async () => {
	const [childMayEnd, promptMayEnd] = [gate(), gate()];
	const file = join(repositoryRoot, "test", "children", "prompts-at-once.ts");
	const prompts = gateOfPrompts();
	const home = await openHome({
		pi: THAT_DROPS,
		moreExtensions: [file],
		env: { PROMPTS_GATE: prompts },
		script: dispatch({
			parent: async ({ lastUserText, lastMessage }) => {
				if (lastUserText.startsWith("Held")) await promptMayEnd.opened;
				return lastUserText === "Go." && lastMessage?.role !== "tool"
					? toolCall("sessions_spawn", { task: "Look.", agent: "explorer" })
					: text("Noted.");
			},
			child: async () => {
				await childMayEnd.opened;
				return finalize("Seen.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
	await promptAtOnce(rpc, prompts, ["Held 1.", "Held 2."]);
	const before = rpc.events.length;
	writeFileSync(prompts, "");
	await home.model.waitFor((request) => request.lastUserText.startsWith("Held"));
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
	const announces = () => readFileSync(sessionFile, "utf8").split('"announceId"').length - 1;
	const sending = rpc.events.length;
	childMayEnd.open();
	// pi says so of the announce that it could not take, too.
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from: sending });
	expect(announces()).toBe(0);
	promptMayEnd.open();
	await eventually(() => expect(announces()).toBe(1));
	await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]));
	await rpc.close();
	expect(announces()).toBe(1);
});

/** Such a pi says that it is at rest, in the middle of a tool call. What that call waits for is told by its result. */
test("what a tool call waits for is not taken for unheard when pi wrongly says that it rests", async () => {
	const [silentMayEnd, otherMayEnd] = [gate(), gate()];
	const file = join(repositoryRoot, "test", "children", "prompts-at-once.ts");
	const prompts = gateOfPrompts();
	const home = await openHome({
		pi: THAT_DROPS,
		moreExtensions: [file],
		env: { PROMPTS_GATE: prompts },
		script: dispatch({
			parent: ({ lastMessage }) =>
				lastMessage?.role === "tool"
					? text("Noted.")
					: ["Look.", "Stay."].map((task) => toolCall("subagent", { agent: "explorer", task })),
			child: async ({ lastUserText }) => {
				await (lastUserText === "Look." ? silentMayEnd : otherMayEnd).opened;
				return finalize("ANNOUNCE_SKIP");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.send({ type: "get_state" });
	await promptAtOnce(rpc, prompts, ["Held.", "Held longer."]);
	writeFileSync(prompts, "");
	await home.model.waitFor((request) => request.lastUserText === "Stay.");
	const before = rpc.events.length;
	writeFileSync(`${prompts}.longer`, "");
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
	silentMayEnd.open();
	const owed = () => inLedger<{ n: number }>(home, "SELECT count(*) AS n FROM runs WHERE delivery <> 'none'")[0]?.n;
	await eventually(() => expect(owed()).toBe(1));
	// The result of the first call is kept until the second has returned.
	await sleep(500);
	otherMayEnd.open();
	await eventually(() => {
		const deliveries = inLedger(home, "SELECT delivery FROM runs");
		expect(deliveries).toEqual([{ delivery: "delivered" }, { delivery: "delivered" }]);
	});
	await rpc.close();
});
