import { join } from "node:path";
import { loadConfig } from "../../../src/config/load.ts";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { openWorker } from "../../../src/pool/worker.ts";
import { systemPorts as ports } from "../../../src/processes/system-ports.ts";
import { Hosts } from "../../../src/supervise/hosts.ts";
import { Supervisor } from "../../../src/supervise/supervisor.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";
import { logHere, machineHere, POOL, POOL_URL } from "./surroundings.ts";

const OPENED_AGAIN_MS = 300;

/** What `src/cli/worker.ts` does, without pi: the porter and the supervisor are the real ones. */
export async function workForPool(slots: number): Promise<void> {
	const url = process.env[POOL_URL] ?? "";
	delete process.env[POOL_URL];
	const { agentDir, places, profiles } = machineHere();
	const log = logHere("cli");
	const ledger = await openLedger(places.ledger);
	ledger.redact = NO_REDACTOR.redact;
	const hosts = new Hosts({ ledger, places, profiles, ports, log });
	const supervisor = new Supervisor({ ledger, hosts, ports, log });
	const { config } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
	for (;;) {
		try {
			const { porter } = await openWorker({
				url,
				settings: POOL,
				config: () => config,
				slots,
				agentDir,
				homeDir: agentDir,
				ledger,
				places,
				ports,
				supervisor,
				profile: (plan) => profiles.for(plan).digest,
				versions: { package: "0", pi: "stand-in" },
				redact: NO_REDACTOR.redact,
				log,
			});
			return await porter.serve();
		} catch (error) {
			// As whoever runs it on a machine would: the database was not there.
			log.warn("could not open the pool", { error });
			await ports.clock.sleep(OPENED_AGAIN_MS);
		}
	}
}
