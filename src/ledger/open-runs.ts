import type { HostId, RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { type ProfileColumns, type ProfileKey, toProfile } from "./profile-key.ts";
import { closeUnreadable } from "./unreadable.ts";

/** The facts about an unfinished run that a parent needs to take care of it. */
export interface OpenRun {
	id: RunId;
	state: "queued" | "running";
	profile: ProfileKey;
	hostId?: HostId;
}

/** Whether a run has not finished. Asked often, so without its plan. */
export const isUnfinished = (ledger: Ledger, id: RunId): boolean =>
	ledger.get("SELECT 1 FROM runs WHERE id = ? AND state <> 'ended'", id) !== undefined;

/** The unfinished runs of a session, oldest first. Read often, so without their plans. */
export function openRunsOf(ledger: Ledger, parentSession: string, at: number): OpenRun[] {
	const rows = ledger.all<Pick<OpenRun, "id" | "state"> & ProfileColumns & { host_id: HostId | null }>(
		// SQLite would choose a narrower index, and read through the plan of each run to reach own_run.
		`SELECT id, state, profile, own_run, host_id FROM runs INDEXED BY runs_open_profiles
			WHERE parent_session = ? AND state <> 'ended' ORDER BY seq`,
		parentSession,
	);
	const known = rows.filter(({ state }) => state === "queued" || state === "running");
	// In an unknown state: no process would ever end it.
	for (const { id } of rows) if (!known.some((run) => run.id === id)) closeUnreadable(ledger, id, at);
	return known.map(({ id, state, host_id: hostId, ...profile }) => ({
		id,
		state,
		profile: toProfile(profile),
		...(hostId !== null && { hostId }),
	}));
}
