import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Host } from "../../../src/host/serve.ts";
import { findHost } from "../../../src/ledger/hosts.ts";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { isOfPool } from "../../../src/ledger/profile-key.ts";
import { Courier } from "../../../src/pool/courier/courier.ts";
import { systemPorts } from "../../../src/processes/system-ports.ts";
import { isHostId } from "../../../src/run/ids.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";
import { scriptedWork } from "./scripted-child.ts";
import { CALLS, logHere, machineHere, POOL } from "./surroundings.ts";

const IDLE_MS = 60_000;
/** As long as to redact a large outcome may take: faults must meet couriers there too. */
const REDACTED_WITHIN_MS = 150;

/** What `src/host/extension.ts` does, without pi: the host and the courier are the real ones. */
export async function serveAsHost(id: string): Promise<void> {
	if (!isHostId(id)) throw new Error(`"${id}" is not the id of a host.`);
	const { agentDir, places } = machineHere();
	const ledger = await openLedger(places.ledger);
	ledger.redact = NO_REDACTOR.redact;
	const record = findHost(ledger, id);
	if (!record) throw new Error(`The ledger knows no host ${id}.`);
	const log = logHere("host", id);
	const courier = isOfPool(record.profile)
		? new Courier({ settings: POOL, env: process.env, ledger, places, agentDir, clock: systemPorts.clock, log })
		: undefined;
	const say = (call: object) => appendFileSync(process.env[CALLS] ?? "", `${JSON.stringify(call)}\n`);
	const host = new Host({
		id,
		profile: record.profile,
		runsHooks: false,
		forOneRun: record.profile.ownRun !== undefined,
		socket: record.socket,
		idleMs: IDLE_MS,
		ledger,
		places,
		ports: systemPorts,
		startWork: courier?.startWork ?? scriptedWork({ places, clock: systemPorts.clock, say }),
		log,
		retentionDays: () => undefined,
		childServices: () => ({
			agentDir,
			openModels: () => Promise.reject(new Error("A scripted child has no model.")),
			redactor: {
				...NO_REDACTOR,
				redactInSlices: async (value) => {
					await pause(Math.random() * REDACTED_WITHIN_MS);
					return value as never;
				},
			},
			trees: { ledger, places, root: agentDir },
			ui: undefined as never,
		}),
		warmUp: async () => {},
	});
	try {
		await host.serve();
	} finally {
		await courier?.close();
		ledger.close();
	}
}
