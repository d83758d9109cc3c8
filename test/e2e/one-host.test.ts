import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { hostPids } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi, startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually } from "./ledger-of.ts";

const openHome = useHome();

/** Each host leaves one log. */
const hostsStarted = (agentDir: string): number =>
	readdirSync(join(agentDir, "pi-geon", "hosts")).filter((name) => name.endsWith(".log")).length;

/** Children that answer only when all of them are there at once: run one after the other, they would wait forever. */
function meeting(expected: number) {
	const all = gate();
	let arrived = 0;
	return async () => {
		if (++arrived === expected) all.open();
		await all.opened;
	};
}

test("eight calls in one message run side by side in one host", async () => {
	const meet = meeting(8);
	const tasks = Array.from({ length: 8 }, (_, index) => `Task ${index}.`);
	const home = await openHome({
		script: dispatch({
			parent: [tasks.map((task) => delegateTo("explorer", task)), text("Done.")],
			child: async ({ lastUserText }) => {
				await meet();
				return finalize(`Answer to ${lastUserText}`);
			},
		}),
	});
	const run = await promptPi(home, "Go.");
	const results = delegations(run).map((details) => [details.results[0]?.task, details.finalized?.result]);
	expect(results.sort()).toEqual(tasks.map((task) => [task, `Answer to ${task}`]));
	expect(hostsStarted(home.agentDir)).toBe(1);
});

test("two parents that start at the same instant share one host", async () => {
	const meet = meeting(2);
	const home = await openHome({
		script: dispatch({
			parent: [delegateTo("explorer", "Find it."), text("Done.")],
			child: async () => {
				await meet();
				return finalize("Found.");
			},
		}),
	});
	const runs = await Promise.all([promptPi(home, "First."), promptPi(home, "Second.")]);
	for (const run of runs) expect(delegations(run)[0]?.finalized).toEqual({ status: "SUCCESS", result: "Found." });
	expect(hostsStarted(home.agentDir)).toBe(1);
});

longTest("a pi that has turned to another session is not troubled by the end of its former host", async () => {
	const home = await openHome({
		// Longer than the turn takes that follows the run.
		env: { PI_GEON_HOST_IDLE_MS: "5000" },
		script: dispatch({ parent: [delegateTo("explorer", "Find it."), text("Done.")], child: [finalize("Found.")] }),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	expect(hostPids(home)).toHaveLength(1);
	await rpc.send({ type: "new_session" });
	await eventually(() => expect(hostPids(home)).toEqual([]));
	await rpc.send({ type: "get_state" });
	await rpc.close();
	expect(rpc.stderr).toBe("");
});

longTest("one host serves several working directories", async () => {
	const meet = meeting(2);
	const home = await openHome({
		script: dispatch({
			parent: [delegateTo("explorer", "Where are you?"), text("Done.")],
			child: async ({ systemText }) => {
				await meet();
				return finalize(/<cwd>\s*(.*?)\s*<\/cwd>/s.exec(systemText)?.[1] ?? "nowhere");
			},
		}),
	});
	const cwds = [home.project, home.home];
	const runs = await Promise.all(cwds.map((cwd) => promptPi(home, "Go.", { cwd })));
	expect(runs.map((run) => delegations(run)[0]?.finalized?.result)).toEqual([home.project, "~"]);
	expect(hostsStarted(home.agentDir)).toBe(1);
});
