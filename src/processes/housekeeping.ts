import { archiveDueSessions } from "../ledger/archive.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import { type EndedPlace, removeExpired, takeDailyTurn } from "../ledger/retention.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";

/** How long a host that leaves may spend on removing what has expired. */
const TIDY_MS = 1000;

interface House {
	ledger: Ledger;
	log: Log;
	places: Places;
	ports: Ports;
	retentionDays(): number | undefined;
}

/** Archives the sessions that are due. */
export function archiveDue({ ledger, log, ports }: Pick<House, "ledger" | "log" | "ports">): void {
	const { archived, failed } = archiveDueSessions(ledger, ports.clock.now());
	if (archived.length > 0) log.info("archived", { sessions: archived });
	for (const { sessionId, error } of failed) log.warn("not archived", { sessionId, error });
}

/** Removes what has expired. A host that is about to leave does this once a day, for a limited time. */
export function tidyUp({ ledger, log, places, ports, retentionDays: ask }: House): void {
	const at = ports.clock.now();
	const retentionDays = ask();
	if (retentionDays === undefined || !takeDailyTurn(ledger, at)) return;
	let from: EndedPlace | undefined;
	do {
		const { next, ...removed } = removeExpired(ledger, { at, retentionDays, places, ...(from && { from }) });
		log.info("tidied up", removed);
		from = next;
	} while (from && ports.clock.now() < at + TIDY_MS);
}
