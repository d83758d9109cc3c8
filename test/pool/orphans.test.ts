import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { stopOrphans } from "../../src/pool/porter/orphans.ts";
import type { RunId } from "../../src/run/ids.ts";
import { gate } from "../helpers/gate.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch({ inMemory: true });

test("a worker stops the runs of a dead one, and is told of each job once none of its processes runs any more", async () => {
	const ledger = await scratch.ledger();
	const admit = (parentSession: string) =>
		admitRun(ledger, { ...admission(), mode: "background", parentSession, at: 1 }).run.id;
	const left = admit("pool:host:7:the-job");
	for (const another of ["pool:host:8:another-job", "a conversation"]) admit(another);
	const hasEnded = gate();
	const watched: RunId[] = [];
	const supervisor = {
		watch: async (id: RunId) => {
			watched.push(id);
			await hasEnded.opened;
		},
		wake: () => {},
	};
	const jobs = stopOrphans({
		...{ ledger, supervisor: supervisor as never, isAlive: (pid: number) => pid === 8, log: NO_LOG },
		clock: { now: () => 2 } as never,
	});
	const given: unknown[] = [];
	for (const job of jobs) void job.then((one) => given.push(one));
	expect(watched).toEqual([left]);
	expect(ledger.all("SELECT id FROM runs WHERE stop_by IS NOT NULL")).toEqual([{ id: left }]);
	expect(given).toEqual([]);
	hasEnded.open();
	expect(await Promise.all(jobs)).toEqual([{ id: "the-job", worker: "host:7" }]);
});
