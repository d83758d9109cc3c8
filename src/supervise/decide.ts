import type { RunId } from "../run/ids.ts";

/** How often to look without a hint. */
const LOOK_EVERY_MS = 500;
/** How often to look while a host is starting, which takes a third of a second; less often if it takes longer. */
const lookEveryMsAtStart = (startingForMs: number): number => Math.min(Math.max(20, startingForMs / 20), LOOK_EVERY_MS);
/** How often to look while something keeps this process from watching a run. */
export const LOOK_EVERY_MS_IN_TROUBLE = 2000;

/** A caller in this process that awaits a run: a tool call, or a command of the shell. */
export interface Caller {
	readonly id: number;
	readonly runId: RunId;
	/** The caller no longer wants to wait. The run continues. */
	readonly hasLeft: boolean;
	/** How many runs were ahead of this one, as last reported to the caller. */
	readonly knownPlace?: number | undefined;
}

/** A run as the ledger has it at this look. */
export interface SeenRun {
	readonly state: "queued" | "running" | "ended";
	/** Whether the run belongs to the session that pi has open. */
	readonly ofSession: boolean;
	/** How many runs are ahead of it; undefined if it does not wait. */
	readonly place?: number | undefined;
}

export interface RunsState {
	readonly callers: readonly Caller[];
	/** The runs whose hosts we listen to. */
	readonly watched: ReadonlySet<RunId>;
}

/** Every run that a caller awaits, and every open run of the session that pi has open. */
export type SeenRuns = ReadonlyMap<RunId, SeenRun>;

export type RunAction =
	| { do: "answer" | "fail" | "let leave"; caller: Caller }
	| { do: "tell place"; caller: Caller; place: number }
	/** Make sure that a host works on the run, and listen to that host. */
	| { do: "reach"; runId: RunId }
	| { do: "unwatch"; runId: RunId };

/**
 * What the parent does about its runs. Every run needs a host, with or without a caller. Only the end of the run answers a
 * caller.
 */
export function decideRuns(state: RunsState, seen: SeenRuns): { state: RunsState; actions: RunAction[] } {
	const actions: RunAction[] = [];
	const places: RunAction[] = [];
	const callers = state.callers.flatMap((caller) => {
		const run = seen.get(caller.runId);
		const answer = answerTo(caller, run);
		if (answer) {
			actions.push({ do: answer, caller });
			return [];
		}
		const place = run?.place;
		if (place !== undefined && place !== caller.knownPlace) places.push({ do: "tell place", caller, place });
		return [{ ...caller, knownPlace: place }];
	});
	const awaited = new Set(callers.map(({ runId }) => runId));
	const watched = new Set<RunId>();
	for (const [runId, run] of seen) {
		if (!isOpen(run) || !(run.ofSession || awaited.has(runId))) continue;
		watched.add(runId);
		actions.push({ do: "reach", runId });
	}
	// Last, once the hosts know of their runs: pi takes a millisecond to show each of these.
	actions.push(...places);
	for (const runId of state.watched) if (!watched.has(runId)) actions.push({ do: "unwatch", runId });
	return { state: { callers, watched }, actions };
}

/** Undefined if the caller keeps waiting. A run that the ledger no longer has never gets an ending. */
function answerTo({ hasLeft }: Caller, run: SeenRun | undefined): "answer" | "fail" | "let leave" | undefined {
	if (!run) return "fail";
	if (run.state === "ended") return "answer";
	return hasLeft ? "let leave" : undefined;
}

const isOpen = ({ state }: SeenRun): boolean => state === "queued" || state === "running";

export interface Waits {
	anyCaller: boolean;
	isInTrouble: boolean;
	/** While runs wait for a host that is starting. */
	startingForMs?: number | undefined;
}

/** The milliseconds until the next look; undefined: only a hint brings one. */
export function lookAgainIn({ anyCaller, isInTrouble, startingForMs }: Waits): number | undefined {
	if (isInTrouble) return LOOK_EVERY_MS_IN_TROUBLE;
	if (startingForMs !== undefined) return lookEveryMsAtStart(startingForMs);
	return anyCaller ? LOOK_EVERY_MS : undefined;
}
