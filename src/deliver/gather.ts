/** Runs that end within this time of each other are announced together. */
const TOGETHER_MS = 200;
/** The longest time by which that may delay the first of them. */
const GATHER_MS = 1500;
/** From this many runs on, finished or still running, they are a crowd: each could cost the parent a turn of its own. */
const CROWD_OF_RUNS = 10;
/**
 * Runs of a crowd that finish within this time of the first cost only two turns. Docs promise ten seconds; this is a bit more.
 */
const CROWD_MS = 11_000;
/** How often to look at a crowd again when no run gives a hint. */
const CROWD_LOOK_EVERY_MS = 1000;
/** How much text for the model the announces of one turn may hold. The two turns of a crowd share it. */
const TURN_BYTES = 100_000;
/** How much of that is reserved for each unfinished run of a crowd: about as much as a cut report takes. */
const KEPT_BACK_BYTES = 900;

/** What a parent remembers about announces that wait for others. */
export interface Gathered {
	/** Since when they have waited, until when they may wait, how many there were, and when to count them again. */
	readonly gathering?: Gathering | undefined;
	/** Set once the first runs of a crowd were announced: those that end before this time are announced together. */
	readonly crowdUntil?: number | undefined;
	/** How much text for the model the first announces of the crowd contained. */
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
 * Waits for more announces while they keep coming, up to a limit. After the first announces of a crowd, waits until the rest
 * has finished or the crowd's time is up. A result without `gathering` means that the due announces go out now.
 */
export function gather(state: Gathered, { due, open, now }: AnnouncesDue): Gathered {
	const { gathering, crowdUntil, crowdBytes } = state;
	// Kept until the rest of the crowd is announced, even if its time is up: the two turns share their room.
	const crowd: Gathered = { crowdUntil, crowdBytes };
	if (due === 0) return isUnderway(state, now) ? crowd : {};
	const since = gathering?.since ?? now;
	if (crowdUntil !== undefined && now < crowdUntil && open > 0) {
		const countAt = Math.min(now + CROWD_LOOK_EVERY_MS, crowdUntil);
		return { ...crowd, gathering: { since, until: crowdUntil, known: due, countAt } };
	}
	// The crowd's time is up, or all of it has finished.
	if (crowdUntil !== undefined && gathering) return crowd;
	if (gathering && now < gathering.countAt) return { ...crowd, gathering };
	if (gathering && (due <= gathering.known || now >= gathering.until)) return crowd;
	const until = gathering?.until ?? now + GATHER_MS;
	return { ...crowd, gathering: { since, until, known: due, countAt: now + TOGETHER_MS } };
}

const isUnderway = ({ crowdUntil }: Gathered, now: number): boolean => crowdUntil !== undefined && now < crowdUntil;

/** Whether there are so many runs that their announces wait for each other. */
export const isCrowd = ({ crowdUntil }: Gathered, { due, open }: AnnouncesDue): boolean =>
	crowdUntil !== undefined || (open > 0 && due + open >= CROWD_OF_RUNS);

/**
 * How much the due announces, which go out now, may contain. If they begin a crowd, announces of its remaining runs wait for
 * each other from now on, with some room kept for them.
 */
export function announceNow(state: Gathered, waiting: AnnouncesDue): { after: Gathered; maxBytes: number } {
	const { gathering, crowdUntil, crowdBytes = 0 } = state;
	const { open, now } = waiting;
	const left = TURN_BYTES - (crowdUntil === undefined ? 0 : crowdBytes);
	if (isUnderway(state, now)) return { after: { crowdUntil, crowdBytes }, maxBytes: left };
	if (!isCrowd({}, waiting)) return { after: {}, maxBytes: left };
	// These announces of a growing crowd have waited since the previous turn: the next ones wait for as long.
	const since = crowdUntil === undefined ? (gathering?.since ?? now) : now;
	const maxBytes = Math.min(left, TURN_BYTES - open * KEPT_BACK_BYTES);
	return { after: { crowdUntil: since + CROWD_MS, crowdBytes: 0 }, maxBytes };
}

/** Records how much the announces of this turn contained. */
export const spentOnTurn = <State extends Gathered>(state: State, bytes: number): State =>
	state.crowdUntil === undefined ? state : { ...state, crowdBytes: (state.crowdBytes ?? 0) + bytes };
