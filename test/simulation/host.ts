import { Host } from "../../src/host/serve.ts";
import type { HostRecord } from "../../src/ledger/hosts.ts";
import { findHost } from "../../src/ledger/hosts.ts";
import { inWords } from "../../src/ledger/trouble.ts";
import { waitOutTrouble } from "../../src/ledger/wait-out.ts";
import { START_WITHIN_MS } from "../../src/processes/lease.ts";
import type { HostStart } from "../../src/supervise/start-host.ts";
import { simulatedWork } from "./child.ts";
import { Killed } from "./killed.ts";
import { simulatedLog } from "./log.ts";
import { PLACES } from "./places.ts";
import type { SimProcess } from "./process.ts";
import { systemError } from "./system-error.ts";
import type { World } from "./world.ts";

const IDLE_MS = 5000;

/** Stands in for `startHost`: the process comes up after a while, if nothing befalls it. */
export function hostStarter(world: World, starter: SimProcess) {
	return (host: HostRecord, { withinMs, isReady, onExit }: HostStart): void => {
		starter.point("start host");
		if (world.isForbidden("hosts")) throw systemError("EACCES", "EACCES: hosts");
		const process = world.start("host");
		process.onDeath(() =>
			starter.clock.after(1, () => {
				quietly(() => onExit("it ended"));
			}),
		);
		starter.clock.after(withinMs, () => {
			quietly(() => isReady() || world.kill(process.pid, "was not ready in time"));
		});
		process.clock.after(world.random.between(20, 200), () => void serve(world, process, host.id));
		starter.point("started host");
	};
}

/** As in the real one: nothing depends on these listeners, and nobody could catch what they throw. */
function quietly(work: () => unknown): void {
	try {
		work();
	} catch (error) {
		if (!(error instanceof Error)) throw error;
	}
}

/** As `openLedger` fails: in words. */
function opened(world: World, process: SimProcess) {
	try {
		return world.database.ledgerOf(process);
	} catch (error) {
		throw inWords(error, "ledger");
	}
}

async function serve(world: World, process: SimProcess, id: HostRecord["id"]): Promise<void> {
	try {
		// As the real one does (`host/extension.ts`).
		const patience = { clock: process.clock, withinMs: START_WITHIN_MS };
		const ledger = await waitOutTrouble(() => opened(world, process), patience);
		const record = await waitOutTrouble(() => findHost(ledger, id), patience);
		if (!record) throw new Error(`The ledger knows no host ${id}.`);
		const host = new Host({
			id,
			profile: record.profile,
			runsHooks: true,
			forOneRun: record.profile.ownRun !== undefined,
			socket: record.socket,
			idleMs: IDLE_MS,
			ledger,
			log: simulatedLog(world, process),
			places: PLACES,
			ports: process.ports,
			retentionDays: () => undefined,
			warmUp: async () => {},
			startWork: simulatedWork(world, process),
			childServices: () => ({}) as never,
		});
		await host.serve();
		world.kill(process.pid, "left");
	} catch (error) {
		if (error instanceof Killed) return;
		world.kill(process.pid, `failed: ${error}`);
	}
}
