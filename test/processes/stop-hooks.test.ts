import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { StopHooks } from "../../src/processes/stop-hooks.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import type { RunId } from "../../src/run/ids.ts";
import { eventually } from "../e2e/ledger-of.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const HOOK = join(repositoryRoot, "test", "children", "hook.ts");
const hooksOf = (ledger: Ledger) => new StopHooks({ ledger, log: NO_LOG, ports });

/** Runs that have finished in a host that died before it could run their stop hooks. */
async function owed(count: number): Promise<{ ledger: Ledger; ids: RunId[]; heard: () => unknown[] }> {
	const ledger = await scratch.ledger();
	const cwd = scratch.folder();
	const file = join(cwd, "heard.jsonl");
	const stopHook = { command: [process.execPath, HOOK, "agree", file], timeoutMs: 60_000, cwd };
	const ids = Array.from({ length: count }, () => {
		const { plan, ...rest } = admission();
		const { id } = admitRun(ledger, { ...rest, plan: { ...plan, stopHook } }).run;
		endRun(ledger, { id, fence: 0, outcome: success(), at: 5 });
		return id;
	});
	const heard = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
	return { ledger, ids, heard: () => heard().map((line) => (JSON.parse(line) as { run_id: string }).run_id) };
}

const allDone = (ledger: Ledger) =>
	eventually(() => expect(ledger.get("SELECT 1 FROM runs WHERE stop_hook IS NOT 'done'")).toBeUndefined());

test("the next process that looks runs what a dead host owed, and two that look at once run each hook once", async () => {
	const { ledger, ids, heard } = await owed(3);
	const other = await scratch.ledger(ledger.file);
	const [one, two] = [hooksOf(ledger), hooksOf(other)];
	one.begin();
	two.begin();
	one.begin();
	await allDone(ledger);
	expect(heard().sort()).toEqual(ids.toSorted());
	expect([one.running, two.running]).toEqual([0, 0]);
});

test("more than a few wait for their turn, and are run without another look", async () => {
	const { ledger, ids, heard } = await owed(6);
	const hooks = hooksOf(ledger);
	hooks.begin();
	expect(hooks.running).toBe(4);
	await allDone(ledger);
	expect(heard().sort()).toEqual(ids.toSorted());
});
