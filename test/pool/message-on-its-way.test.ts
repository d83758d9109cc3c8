import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_LOG } from "../../src/log/log.ts";
import { RunAway } from "../../src/pool/courier/run-away.ts";
import type { MessageToChild } from "../../src/pool/queue.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { SimPostgres } from "../simulation/pool/postgres.ts";

const scratch = useScratch({ inMemory: true });

test("a message goes to the worker at the host's look, and does not wait until the courier's own is due", async () => {
	const { courier, porter } = new SimPostgres(() => 0, 1);
	const job = randomUUID();
	courier.post({ job, requester: "ada", priority: 0, order: "order", bundle: undefined, lines: [] });
	porter.claim({ pool: "team", worker: "host:7" });
	const { plan } = admission();
	const inbox: MessageToChild[] = [];
	const services = {
		...{ redactor: NO_REDACTOR, onAway: () => {}, onProgress: () => {}, assertLeaseHeld: () => {} },
		inbox: { waiting: () => inbox, taken: () => {} },
	};
	let looks = 0;
	const run = new RunAway({
		job,
		record: {
			run: { id: "run" },
			usage: NO_USAGE,
			plan: { ...plan, session: { file: join(scratch.folder(), "s") } },
		} as never,
		services: services as never,
		setup: {
			queue: async () => {
				looks++;
				return courier;
			},
			// Its own time never comes.
			clock: { elapsed: () => 0, now: () => 0, after: () => () => {} },
			...{ pool: "team", log: NO_LOG },
		} as never,
	});
	void run.work();
	await expect.poll(() => looks).toBe(1);
	run.look();
	inbox.push({ seq: 1, body: "Look closer." });
	run.look();
	await expect.poll(() => porter.said(job)).toMatchObject([{ kind: "message", body: "Look closer." }]);
	expect(looks).toBe(2);
});
