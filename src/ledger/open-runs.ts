import type { HostId, RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

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
	return rows.map(({ host_id: hostId, ...run }) => (hostId === null ? run : { ...run, hostId }));
}
