import type { HostId, RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { closeUnreadable } from "./unreadable.ts";

/** What a parent needs to know of a run that has not ended, to see to it. */
export interface OpenRun {
	id: RunId;
	state: "queued" | "running";
	profile: string;
	hostId?: HostId;
}

/** The runs of a session that have not ended, oldest first. Read often, so without their plans. */
export function openRunsOf(ledger: Ledger, parentSession: string): OpenRun[] {
	const rows = ledger.all<Omit<OpenRun, "hostId"> & { host_id: HostId | null }>(
		"SELECT id, state, profile, host_id FROM runs WHERE parent_session = ? AND state <> 'ended' ORDER BY seq",
		parentSession,
	);
	const known = rows.filter(({ state }) => state === "queued" || state === "running");
	// In a state that there is not: nobody would ever end it.
	for (const { id } of rows) if (!known.some((run) => run.id === id)) closeUnreadable(ledger, id, Date.now());
	return known.map(({ host_id: hostId, ...run }) => (hostId === null ? run : { ...run, hostId }));
}
