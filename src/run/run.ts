import type { Hop } from "./hop.ts";
import type { HostId, RunId } from "./ids.ts";
import type { Outcome } from "./outcome.ts";

/**
 * The life of a run.
 *
 * queued ──claim──▶ running ──end──▶ ended        delivery: owed ──▶ delivered | skipped
 * ▲                 │                          archive:  archivedAt
 * └──lease expired──┘
 *
 * - A queued run has no owner: no host and no lease.
 * - A running run belongs to one host until it is taken back, which is allowed once its lease has expired. The
 * fence grows whenever it changes hands, and a host that renews or ends it must carry the current fence: a host that was
 * suspended and comes back after the run was taken from it has an old one. A host that is merely late keeps its run.
 * - A run ends exactly once and keeps that outcome. Its host ends it while running; any process may while it is queued
 * (it was stopped, its attempts are used up, or nothing could be started for it).
 * - From its end on, a run owes its outcome to the session that asked, until that is delivered or skipped. Both are final.
 * - No run is lost to another's fault. One whose last attempt ended in the death of a host that it shared gets one
 *   more, in a host of its own; what happens there is its own fault. The exception is a run that may be tried only once.
 * - A hop counts as an attempt and raises the maximum by one, so that it uses up none of the attempts that are kept for
 *   hosts that die and requests that fail. The number of hops says which of its models the run uses.
 * - Only an ended run whose debt is settled may be archived.
 * - A stop request is never dropped, and the first one counts. A run with a stop request is never claimed again.
 */
export type Run = QueuedRun | RunningRun | EndedRun;

interface RunFacts {
	id: RunId;
	/** How many attempts it has had: each claim is one, and each that its host began after a model failed. */
	attempt: number;
	/** How many attempts it may have. Each hop adds one. */
	maxAttempts: number;
	/** Its changes of model, oldest first. Absent: it still has the first model. */
	hops?: readonly Hop[];
	fence: number;
	stop?: StopRequest;
	/** When it was first claimed: the hard time limit counts from here and never starts again. */
	startedAt?: number;
}

export interface StopRequest {
	at: number;
	by: string;
	/**
	 * The command or key of the user that requested the stop, the same for all runs it stopped. Absent if the user did not:
	 * only runs that the user stopped are reported without starting a turn.
	 */
	command?: string;
}

export interface QueuedRun extends RunFacts {
	state: "queued";
}

export interface RunningRun extends RunFacts {
	state: "running";
	hostId: HostId;
	leaseUntil: number;
	startedAt: number;
}

export interface EndedRun extends RunFacts {
	state: "ended";
	endedAt: number;
	outcome: Outcome;
	delivery: Delivery;
	archivedAt?: number;
}

export type RunState = Run["state"];

export type Delivery = { state: "owed" } | { state: "delivered" | "skipped"; at: number };

export type TransitionEvent =
	| { type: "claimed"; at: number; hostId: HostId; leaseUntil: number }
	| { type: "renewed"; at: number; fence: number; leaseUntil: number }
	| { type: "attempted_again"; at: number; fence: number }
	| { type: "hopped"; at: number; fence: number; hop: Hop }
	| ({ type: "stop_requested" } & StopRequest)
	| { type: "lease_expired"; at: number; shared: boolean }
	| { type: "ended"; at: number; fence: number; outcome: Outcome }
	| { type: "delivered" | "skipped"; at: number }
	| { type: "archived"; at: number };

/** A write that came too late, from the wrong holder, or in the wrong order. Expected: the caller lets go of the run. */
export interface RefusedTransition {
	refusedBecause: string;
}

const refused = (refusedBecause: string): RefusedTransition => ({ refusedBecause });

/** The only place where the state of a run changes. Pure: the ledger stores the result. */
export function transition(run: Run, event: TransitionEvent): Run | RefusedTransition {
	switch (event.type) {
		case "claimed":
			if (run.state !== "queued") return refused(`a ${run.state} run cannot be claimed`);
			if (run.stop) return refused("a stop was requested");
			if (run.attempt >= run.maxAttempts) return refused("no attempts are left");
			return {
				...run,
				state: "running",
				hostId: event.hostId,
				leaseUntil: event.leaseUntil,
				startedAt: run.startedAt ?? event.at,
				attempt: run.attempt + 1,
				fence: run.fence + 1,
			};
		case "renewed":
			if (run.state !== "running") return refused(`a ${run.state} run has no lease`);
			if (run.fence !== event.fence) return refused("the run was claimed again since");
			return { ...run, leaseUntil: event.leaseUntil };
		case "attempted_again":
			if (run.state !== "running") return refused(`a ${run.state} run has no host`);
			if (run.fence !== event.fence) return refused("the run was claimed again since");
			if (run.stop) return refused("a stop was requested");
			if (run.attempt >= run.maxAttempts) return refused("no attempts are left");
			return { ...run, attempt: run.attempt + 1 };
		case "hopped":
			if (run.state !== "running") return refused(`a ${run.state} run has no host`);
			if (run.fence !== event.fence) return refused("the run was claimed again since");
			if (run.stop) return refused("a stop was requested");
			return {
				...run,
				attempt: run.attempt + 1,
				maxAttempts: run.maxAttempts + 1,
				hops: [...(run.hops ?? []), event.hop],
			};
		case "stop_requested":
			if (run.state === "ended") return refused("the run has finished");
			return run.stop ? run : { ...run, stop: stopOf(event) };
		case "lease_expired":
			if (run.state !== "running") return refused(`a ${run.state} run has no lease`);
			if (run.leaseUntil > event.at) return refused("the lease still holds");
			return released(run, event.shared);
		case "ended":
			if (run.state === "ended") return refused("the run has finished already");
			if (run.fence !== event.fence) return refused("the run was claimed again since");
			return {
				...withoutLease(run),
				state: "ended",
				endedAt: event.at,
				outcome: event.outcome,
				delivery: { state: "owed" },
			};
		case "delivered":
		case "skipped":
			if (run.state !== "ended") return refused(`a ${run.state} run owes nothing yet`);
			if (run.delivery.state !== "owed") return refused(`it is ${run.delivery.state} already`);
			return { ...run, delivery: { state: event.type, at: event.at } };
		case "archived":
			if (run.state !== "ended") return refused(`a ${run.state} run cannot be archived`);
			if (run.delivery.state === "owed") return refused("its outcome has not been delivered");
			if (run.archivedAt !== undefined) return refused("it is archived already");
			return { ...run, archivedAt: event.at };
	}
}

const stopOf = ({ at, by, command }: StopRequest): StopRequest => ({
	at,
	by,
	...(command !== undefined && { command }),
});

export const isRefused = (result: Run | RefusedTransition): result is RefusedTransition => "refusedBecause" in result;

/** A run that lost its host is queued again. The fence grows, so that the lost host can neither renew nor end it. */
function released(run: RunningRun, shared: boolean): QueuedRun {
	const { attempt, maxAttempts, hops = [] } = run;
	const onceMore = shared && maxAttempts - hops.length > 1 && attempt >= maxAttempts;
	return {
		...withoutLease(run),
		state: "queued",
		fence: run.fence + 1,
		maxAttempts: onceMore ? attempt + 1 : maxAttempts,
	};
}

function withoutLease(run: QueuedRun | RunningRun): RunFacts {
	const { id, attempt, maxAttempts, fence, stop, startedAt, hops } = run;
	return {
		id,
		attempt,
		maxAttempts,
		fence,
		...(hops && { hops }),
		...(stop && { stop }),
		...(startedAt !== undefined && { startedAt }),
	};
}
