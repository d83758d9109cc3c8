/** Runs that end within this time of each other are announced together, … */
const TOGETHER_MS = 200;
/** … unless that delays the first of them for longer than this. */
const GATHER_MS = 1500;
/** From this many runs on, finished or still running, they are a crowd: each could cost the parent a turn of its own. */
const CROWD_OF_RUNS = 10;
/**
 * Runs of a crowd that finish within this time of the first cost two turns. A little more than the promised ten seconds.
 */
const CROWD_MS = 11_000;
/** How often to look at a crowd again when no run gives a hint. */
const CROWD_LOOK_EVERY_MS = 1000;
/** How much text for the model the announces of one turn may hold. The two turns of a crowd share it. */
const TURN_BYTES = 100_000;
/** How much of that is reserved for each run of a crowd that may still finish: a report that is cut takes about as much. */
const KEPT_BACK_BYTES = 900;

/** What a parent remembers about announces that wait for others. */
export interface Gathered {
	/** Since when they wait, until when at most, how many there were, and when to count them again. */
	readonly gathering?: Gathering | undefined;
	/** The first of a crowd were announced: those that end before this time are announced together. */
	readonly crowdUntil?: number | undefined;
	/** How much text for the model those held. */
	readonly crowdBytes?: number | undefined;
}

interface Gathering {
	readonly since: number;
	readonly until: number;
	readonly known: number;
	readonly countAt: number;
}

interface AnnouncesDue {
	/** How many wait to be announced, and how many runs of the session have not finished. */
	readonly due: number;
	readonly open: number;
	readonly now: number;
}

/**
 * Waits for more announces as long as some come, but not for long. After the first announces of a crowd, waits until the
 * rest has finished or the crowd's time is up. A result without `gathering` means that the due announces go out now.
 */
export function gather(state: Gathered, { due, open, now }: AnnouncesDue): Gathered {
	const { gathering, crowdUntil, crowdBytes } = state;
	// Kept even when its time is up, until the rest of the crowd is announced: the two turns share their room.
	const crowd: Gathered = { crowdUntil, crowdBytes };
	if (due === 0) return isUnderway(state, now) ? crowd : {};
	const since = gathering?.since ?? now;
	if (crowdUntil !== undefined && now < crowdUntil && open > 0) {
		const countAt = Math.min(now + CROWD_LOOK_EVERY_MS, crowdUntil);
		return { ...crowd, gathering: { since, until: crowdUntil, known: due, countAt } };
	}
	// The time of the crowd is up, or all of it has finished: no more can come.
	if (crowdUntil !== undefined && gathering) return crowd;
	if (gathering && now < gathering.countAt) return { ...crowd, gathering };
	if (gathering && (due <= gathering.known || now >= gathering.until)) return crowd;
	const until = gathering?.until ?? now + GATHER_MS;
	return { ...crowd, gathering: { since, until, known: due, countAt: now + TOGETHER_MS } };
}

const isUnderway = ({ crowdUntil }: Gathered, now: number): boolean => crowdUntil !== undefined && now < crowdUntil;

/** Whether there are so many runs that their announces wait for each other even where nothing else makes them wait. */
export const isCrowd = ({ crowdUntil }: Gathered, { due, open }: AnnouncesDue): boolean =>
	crowdUntil !== undefined || (open > 0 && due + open >= CROWD_OF_RUNS);

/**
 * The due announces go out now, and may hold this much. If they begin a crowd, its remaining runs are waited for from here
 * on, and room is kept for them.
 */
export function announceNow(state: Gathered, waiting: AnnouncesDue): { after: Gathered; maxBytes: number } {
	const { gathering, crowdUntil, crowdBytes = 0 } = state;
	const { open, now } = waiting;
	const left = TURN_BYTES - (crowdUntil === undefined ? 0 : crowdBytes);
	if (isUnderway(state, now)) return { after: { crowdUntil, crowdBytes }, maxBytes: left };
	if (!isCrowd({}, waiting)) return { after: {}, maxBytes: left };
	// These announces of a growing crowd have waited since the turn before: the next ones wait for as long.
	const since = crowdUntil === undefined ? (gathering?.since ?? now) : now;
	const maxBytes = Math.min(left, TURN_BYTES - open * KEPT_BACK_BYTES);
	return { after: { crowdUntil: since + CROWD_MS, crowdBytes: 0 }, maxBytes };
}

/** The announces held this much. */
export const spentOnTurn = <State extends Gathered>(state: State, bytes: number): State =>
	state.crowdUntil === undefined ? state : { ...state, crowdBytes: (state.crowdBytes ?? 0) + bytes };
