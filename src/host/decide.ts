import { HEARTBEAT_MS } from "../processes/lease.ts";
import type { RunId } from "../run/ids.ts";

/** What a host remembers from one look to the next. Times are those of its own process. */
export interface HostMemory {
	/** When to renew the lease and do the other periodic work. */
	readonly beatAt: number;
	/** Since when it has been idle. */
	readonly idleSince: number;
	/** Why it takes no new runs: something in this process is wrong. Another host takes its place. */
	readonly closingBecause?: string;
}

/** A run that this host works on, or whose child has not finished yet. */
export interface ActiveRun {
	readonly id: RunId;
	readonly fence: number;
}

export interface HostSnapshot {
	readonly active: readonly ActiveRun[];
	/** The runs that this host holds according to the ledger, each with the source of a stop request. */
	readonly held: ReadonlyMap<RunId, { readonly fence: number; readonly stopBy?: string }>;
	/** Outcomes that are not in the ledger yet. */
	readonly pendingOutcomes: number;
	readonly isWatched: boolean;
}

export interface HostLimits {
	/** How long it stays when it is idle. */
	readonly idleMs: number;
	/** Serves one run and leaves right after it. */
	readonly forOneRun: boolean;
}

export type HostAction =
	/** Another host has the run now: this one must write nothing about it. */
	| { do: "let go"; runId: RunId }
	| { do: "stop"; runId: RunId; by: string }
	| { do: "recover" }
	| { do: "claim" }
	| { do: "leave if idle" };

/** A host that may leave sooner than a heartbeat has to notice that in time. */
export const beatEvery = (idleMs: number): number => Math.min(HEARTBEAT_MS, idleMs);

export const isBeatDue = ({ beatAt }: HostMemory, now: number): boolean => now >= beatAt;

/** Decides what a host does at a look: about its own runs, other runs, and itself. */
export function decideHost(
	state: HostMemory,
	seen: HostSnapshot,
	{ idleMs, forOneRun, now }: HostLimits & { now: number },
): { state: HostMemory; actions: HostAction[]; againInMs: number } {
	const actions = seen.active.flatMap((run): HostAction[] => {
		const mine = seen.held.get(run.id);
		if (mine?.fence !== run.fence) return [{ do: "let go", runId: run.id }];
		return mine.stopBy === undefined ? [] : [{ do: "stop", runId: run.id, by: mine.stopBy }];
	});
	actions.push({ do: "recover" });
	const isClosing = state.closingBecause !== undefined;
	if (!isClosing) actions.push({ do: "claim" });

	const leavesAtOnce = isClosing || forOneRun;
	const isNeeded = seen.active.length + seen.pendingOutcomes > 0 || (seen.isWatched && !leavesAtOnce);
	const idleSince = isNeeded ? now : state.idleSince;
	if (!isNeeded && (leavesAtOnce || now - idleSince >= idleMs)) actions.push({ do: "leave if idle" });

	const beatAt = isBeatDue(state, now) ? now + beatEvery(idleMs) : state.beatAt;
	return { state: { ...state, beatAt, idleSince }, actions, againInMs: beatAt - now };
}
