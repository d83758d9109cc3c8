import type { RunId } from "../run/ids.ts";
import { announceNow, type Gathered, gather, isCrowd } from "./gather.ts";

/** How often to look while there is something to wait for and no hint comes. */
const DELIVER_EVERY_MS = 1000;
/** How often to look with nothing to wait for: a shell or another pi may start a run. */
const LOOK_EVERY_MS_AT_REST = 5000;
/** How often to look in one-shot modes, which have nothing else to do. */
const DRAIN_LOOK_EVERY_MS = 500;
const DRAIN_SAYS_EVERY_MS = 5000;
/**
 * How long pi may be idle before an announce that it was given, but that the transcript does not show, counts as lost. The
 * time counts only once pi has come to rest after receiving it: until all extensions know of that, pi holds messages back.
 */
const ARRIVE_WITHIN_MS = 5000;
/** The same if pi never came to rest again, since pi does not report every failure. */
const ARRIVE_AT_ALL_WITHIN_MS = 120_000;
/** Each time that an announce is lost, the wait doubles, up to this: pi keeps in memory what it could not write. */
const LONGEST_WAIT_MS = 600_000;

/** An announce that pi was given, and that the transcript does not show yet. */
interface InFlight {
	readonly givenAt: number;
	/** When pi was last busy since then. */
	readonly busyAt: number;
}

/** What a parent remembers about deliveries from one look to the next. All times are those of one process. */
export interface DeliveryState extends Gathered {
	readonly inFlight: ReadonlyMap<RunId, InFlight>;
	/** How often each announce was given to pi, until it arrived. */
	readonly timesGiven: ReadonlyMap<RunId, number>;
	/** When pi last came to rest. */
	readonly restedAt: number;
	/** Until when a prompt is on its way that pi does not yet count as activity. */
	readonly promptUntil: number;
	/** A pi that is about to exit waits for its runs. */
	readonly drain?: { readonly deadline: number; readonly sayAt: number } | undefined;
}

export const NOTHING_GIVEN: DeliveryState = { inFlight: new Map(), timesGiven: new Map(), restedAt: 0, promptUntil: 0 };

/** A finished run whose outcome the session has not received yet. */
export interface Owed {
	readonly id: RunId;
	/** Whether this process delivers it. */
	readonly isOurs: boolean;
	readonly wantsSilence: boolean;
	/** Whether the user stopped it, and everything that the same command stopped has finished too. */
	readonly stopped?: "whole" | "underway" | undefined;
}

export interface DeliverySnapshot {
	/** How many runs of the session have not finished, and how many a call returns. */
	readonly open: number;
	readonly awaited: number;
	/** Without those in flight and those that a call returns. */
	readonly owed: readonly Owed[];
	/** The runs reported in pi's memory, and the subset that is also reported in the session's file. */
	readonly held: ReadonlySet<unknown>;
	readonly onDisk: ReadonlySet<unknown>;
	/** Whether entries that only pi's memory holds will never be written, while a new entry would be. */
	readonly memoryIsLost: boolean;
	readonly talk: {
		readonly isInteractive: boolean;
		readonly isIdle: boolean;
		readonly hasPending: boolean;
		/** A tool call has not returned. Of two simultaneous prompts pi refuses one, and then reports that it is idle. */
		readonly isCalling: boolean;
	};
}

export type DeliveryAction =
	/** The transcript reports these runs, so they are delivered. */
	| { do: "settle"; ids: RunId[] }
	| { do: "skip"; ids: RunId[] }
	/** `maxBytes`: how much text for the model all of them together may contain. */
	| { do: "announce"; ids: RunId[]; maxBytes: number }
	/** Without starting a turn. */
	| { do: "tell what the user stopped"; ids: RunId[] }
	| { do: "deliver due"; ids: RunId[]; stopped: RunId[]; maxBytes: number }
	| { do: "say what is awaited"; forMs: number }
	| { do: "say what is left" };

export interface DeliveryDecision {
	state: DeliveryState;
	actions: DeliveryAction[];
	/** Undefined: there is nothing to look for without a hint. */
	againInMs: number | undefined;
}

/** What a parent does about outcomes that its session has not received yet. */
export function decideDeliveries(state: DeliveryState, seen: DeliverySnapshot, now: number): DeliveryDecision {
	const actions: DeliveryAction[] = [];
	const ours = seen.owed.filter(({ isOurs }) => isOurs);
	const arrived = [...state.inFlight.keys()].filter((id) => seen.onDisk.has(id));
	const reported = idsOf(ours.filter(({ id }) => seen.onDisk.has(id)));
	if (arrived.length + reported.length > 0) actions.push({ do: "settle", ids: [...arrived, ...reported] });
	const underway = withoutArrived(state, arrived);
	const next = withoutLost(underway, seen, now);
	const unreported = ours.filter(({ id }) => !seen.onDisk.has(id) && !(seen.held.has(id) && !seen.memoryIsLost));
	const silent = unreported.filter(({ wantsSilence }) => wantsSilence);
	if (silent.length > 0) actions.push({ do: "skip", ids: idsOf(silent) });
	const due = idsOf(unreported.filter(({ wantsSilence, stopped }) => !wantsSilence && stopped === undefined));
	const stopped = idsOf(unreported.filter((run) => run.stopped === "whole"));

	if (next.drain) return drained(next, next.drain, { actions, due, stopped, seen, now });
	const interrupts = mayInterrupt(next, seen, now);
	// Before the announces, which start a turn.
	if (interrupts && stopped.length > 0) actions.push({ do: "tell what the user stopped", ids: stopped });
	const waiting = { due: due.length, open: seen.open, now };
	let gathered: DeliveryState = { ...next, gathering: undefined };
	if (interrupts) gathered = { ...next, ...NOT_GATHERING, ...gather(next, waiting) };
	if (interrupts && due.length > 0 && !gathered.gathering) {
		const { after, maxBytes } = announceNow(next, waiting);
		gathered = { ...next, ...NOT_GATHERING, ...after };
		actions.push({ do: "announce", ids: due, maxBytes });
	}
	// A lost announce is still owed: the next look finds it.
	const anyLost = next.inFlight.size < underway.inFlight.size;
	const left = due.length + stopped.length;
	return { state: gathered, actions, againInMs: anyLost ? 0 : againIn(gathered, seen, { due: left, now }) };
}

const NOT_GATHERING: Gathered = { gathering: undefined, crowdUntil: undefined, crowdBytes: undefined };

const idsOf = (owed: readonly Owed[]): RunId[] => owed.map(({ id }) => id);

/** Records that pi was given these announces just now. */
export function given(state: DeliveryState, ids: readonly RunId[], now: number): DeliveryState {
	const inFlight = new Map(state.inFlight);
	const timesGiven = new Map(state.timesGiven);
	for (const id of ids) {
		inFlight.set(id, { givenAt: now, busyAt: now });
		timesGiven.set(id, (timesGiven.get(id) ?? 0) + 1);
	}
	return { ...state, inFlight, timesGiven };
}

function withoutArrived(state: DeliveryState, arrived: readonly RunId[]): DeliveryState {
	if (arrived.length === 0) return state;
	const inFlight = new Map(state.inFlight);
	const timesGiven = new Map(state.timesGiven);
	for (const id of arrived) {
		inFlight.delete(id);
		timesGiven.delete(id);
	}
	return { ...state, inFlight, timesGiven };
}

/** Two simultaneous prompts can make pi drop a message. Its outcome is still owed then, so the message is sent again. */
function withoutLost(state: DeliveryState, { held, memoryIsLost, talk }: DeliverySnapshot, now: number): DeliveryState {
	if (state.inFlight.size === 0) return state;
	const inFlight = new Map<RunId, InFlight>();
	for (const [id, flight] of state.inFlight) {
		const isHeld = held.has(id) && !memoryIsLost;
		const isAtRest = talk.isIdle && !talk.hasPending;
		const known = isHeld || isAtRest ? flight : { ...flight, busyAt: now };
		if (isHeld || !isLost(known, patience(state.timesGiven.get(id)), state.restedAt, now)) inFlight.set(id, known);
	}
	return { ...state, inFlight };
}

function isLost({ givenAt, busyAt }: InFlight, patienceMs: number, restedAt: number, now: number): boolean {
	const rested = restedAt >= givenAt && now - Math.max(restedAt, busyAt) > patienceMs;
	return rested || now - busyAt > ARRIVE_AT_ALL_WITHIN_MS;
}

const patience = (times = 1): number => Math.min(ARRIVE_WITHIN_MS * 2 ** (times - 1), LONGEST_WAIT_MS);

function mayInterrupt({ promptUntil }: DeliveryState, { talk }: DeliverySnapshot, now: number): boolean {
	return talk.isInteractive && talk.isIdle && !talk.isCalling && now > promptUntil;
}

function againIn(state: DeliveryState, seen: DeliverySnapshot, { due, now }: { due: number; now: number }) {
	if (state.gathering) return state.gathering.countAt - now;
	const elsewhere = seen.owed.filter(({ isOurs }) => !isOurs).length;
	const left = seen.open + due + elsewhere + state.inFlight.size + seen.awaited;
	if (left > 0) return DELIVER_EVERY_MS;
	return seen.talk.isInteractive ? LOOK_EVERY_MS_AT_REST : undefined;
}

interface Draining {
	actions: DeliveryAction[];
	due: RunId[];
	stopped: RunId[];
	seen: DeliverySnapshot;
	now: number;
}

/**
 * In one-shot modes, the drain gets the announces: immediately, or all together if they are part of a crowd. If it gets none,
 * there is nothing left to wait for.
 */
function drained(
	state: DeliveryState,
	{ deadline, sayAt }: NonNullable<DeliveryState["drain"]>,
	{ actions, due, stopped, seen, now }: Draining,
): DeliveryDecision {
	const waiting = { due: due.length, open: seen.open, now };
	const isUp = now >= deadline;
	const gathered = { ...state, ...NOT_GATHERING, ...(isUp || !isCrowd(state, waiting) ? {} : gather(state, waiting)) };
	if ((due.length > 0 && !gathered.gathering) || seen.open === 0 || isUp) {
		if (due.length === 0 && seen.open > 0) actions.push({ do: "say what is left" });
		const { after, maxBytes } = announceNow(state, waiting);
		actions.push({ do: "deliver due", ids: due, stopped, maxBytes });
		const ended = { ...state, ...NOT_GATHERING, ...after, drain: undefined };
		return { state: ended, actions, againInMs: againIn(ended, seen, { due: due.length + stopped.length, now }) };
	}
	const says = now >= sayAt;
	if (says) actions.push({ do: "say what is awaited", forMs: deadline - now });
	const countIn = (gathered.gathering?.countAt ?? Number.POSITIVE_INFINITY) - now;
	return {
		state: { ...gathered, drain: { deadline, sayAt: says ? now + DRAIN_SAYS_EVERY_MS : sayAt } },
		actions,
		againInMs: Math.min(DRAIN_LOOK_EVERY_MS, deadline - now, countIn),
	};
}
