import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const allDelivered = (home: Home, runs: number) =>
	eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE delivery = 'delivered'")).toHaveLength(runs));

test("a prompt on its way to the model is not displaced by an announce, which comes after it", async () => {
	const childMayEnd = gate();
	const mayPass = join(tmpdir(), `pg-held-${process.pid}`);
	onTestFinished(() => {
		for (const file of [mayPass, `${mayPass}.held`]) rmSync(file, { force: true });
	});
	const home = await openHome({
		moreExtensions: [join(repositoryRoot, "test", "children", "prompts-at-once.ts")],
		env: { PROMPTS_GATE: mayPass },
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastUserText === "Go." && lastMessage?.role !== "tool"
					? toolCall("sessions_spawn", { task: "Look.", agent: "explorer" })
					: text("Noted."),
			child: async () => {
				await childMayEnd.opened;
				return finalize("Seen.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
	rpc.child.stdin.write(`${JSON.stringify({ type: "prompt", message: "Held by an extension." })}\n`);
	await eventually(() => expect(existsSync(`${mayPass}.held`)).toBe(true));
	childMayEnd.open();
	await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE deliverer IS NOT NULL")).toHaveLength(1));
	await pause(1000); // Time enough to send it, were it allowed to.
	expect(readFileSync(sessionFile, "utf8")).not.toContain('"announceId"');
	writeFileSync(mayPass, "");
	await home.model.waitFor((request) => request.lastUserText === "Held by an extension.");
	await allDelivered(home, 1);
	const file = readFileSync(sessionFile, "utf8");
	expect(file.indexOf("Held by an extension.")).toBeGreaterThan(0);
	expect(file.indexOf('"announceId"')).toBeGreaterThan(file.indexOf("Held by an extension."));
	await rpc.close();
});

test("an idle pi without open runs gets the report of a run that a shell started", async () => {
	const home = await openHome({
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastUserText === "Go." && lastMessage?.role !== "tool"
					? toolCall("sessions_spawn", { task: "Look.", agent: "explorer", label: "scout" })
					: text("Noted."),
			child: () => finalize("Seen."),
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	await allDelivered(home, 1);
	expect(await piGeon(home, ["send", "scout", "Look again."])).toMatchObject({ code: 0 });
	await allDelivered(home, 2);
	await rpc.close();
});
