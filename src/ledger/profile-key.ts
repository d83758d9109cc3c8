import type { RunId } from "../run/ids.ts";

/** Identifies the hosts that can work on a run, and the runs that a host can work on. */
export interface ProfileKey {
	/** A digest of the profile that the process must have. */
	digest: string;
	/** For a host of its own: the run that only this host can work on. Absent: the host serves all runs of its profile. */
	ownRun?: RunId;
}

/** The prefix of the digests of hosts whose runs are done by workers of a pool. */
export const POOL_PREFIX = "pool:";

export const isOfPool = ({ digest }: ProfileKey): boolean => digest.startsWith(POOL_PREFIX);

/** The name of the pool in `pool:<name>:<digest of the profile>`. */
export const poolOf = (digest: string): string => digest.split(":")[1] ?? "";

export interface ProfileColumns {
	profile: string;
	own_run: RunId | null;
}

/** A condition on both columns. `IS`, since most rows have no run of their own. */
export const OF_PROFILE = "profile = ? AND own_run IS ?";

/** The values for it. */
export const profileValues = ({ digest, ownRun }: ProfileKey): [string, RunId | null] => [digest, ownRun ?? null];

export const toProfile = ({ profile, own_run }: ProfileColumns): ProfileKey => ({
	digest: profile,
	...(own_run !== null && { ownRun: own_run }),
});
