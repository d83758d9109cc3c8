import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { owedTo, settleDeliveries, takeDeliveries } from "../../../src/ledger/deliveries.ts";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { systemPorts as ports } from "../../../src/processes/system-ports.ts";
import type { RunId } from "../../../src/run/ids.ts";
import { Hosts } from "../../../src/supervise/hosts.ts";
import { Supervisor } from "../../../src/supervise/supervisor.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";
import { logHere, machineHere, PARENT_SESSION } from "./surroundings.ts";

const AT_ONCE = 10;
const LOOKS_EVERY_MS = 250;

/** The supervisor is the real one. What it is owed it writes into a transcript, which decides what it was told. */
export async function attendAsParent(transcript: string): Promise<never> {
	const { places, profiles } = machineHere();
	const log = logHere("parent");
	const ledger = await openLedger(places.ledger);
	ledger.redact = NO_REDACTOR.redact;
	const hosts = new Hosts({ ledger, places, profiles, ports, log });
	const supervisor = new Supervisor({ ledger, hosts, ports, log });
	supervisor.attend({
		id: PARENT_SESSION,
		look: () => LOOKS_EVERY_MS,
		followed: () => new Set(),
		heard: () => {},
		onAsk: () => Promise.reject(new Error("Nobody asks.")),
		hasUser: false,
		onTrouble: (error) => log.warn("trouble", { error }),
	});
	for (;;) {
		announce();
		await ports.clock.sleep(LOOKS_EVERY_MS);
	}

	function announce(): void {
		const owed = owedTo(ledger, PARENT_SESSION, { at: Date.now() }).slice(0, AT_ONCE);
		const ids = owed.map(({ run }) => run.id);
		const ours = takeDeliveries(ledger, ids, {
			name: `${process.pid}`,
			at: Date.now(),
			forMs: 15_000,
			isAlive: (pid) => isThere(Number(pid)),
		});
		const text = existsSync(transcript) ? readFileSync(transcript, "utf8") : "";
		const told = new Set(text.split("\n"));
		const news = ids.filter((id) => ours.has(id) && !told.has(id));
		if (news.length > 0)
			appendFileSync(transcript, `${text === "" || text.endsWith("\n") ? "" : "\n"}${news.join("\n")}\n`);
		settleDeliveries(
			ledger,
			ids.filter((id: RunId) => ours.has(id)),
			Date.now(),
		);
	}
}

function isThere(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}
