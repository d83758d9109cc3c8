/** Time, as the loops see it. The simulator has another one, in which a day takes a millisecond. */
export interface Clock {
	/** Milliseconds since 1970: for what is stored and compared between processes. It may jump. */
	now(): number;
	/** Milliseconds since some moment, never backwards: for waits inside one process. */
	elapsed(): number;
	/**
	 * Calls once, after this many milliseconds; with 0, once the current work has returned. Returns a function that cancels
	 * it.
	 */
	after(ms: number, call: () => void): () => void;
	sleep(ms: number): Promise<void>;
}

/** The longest delay of `setTimeout`, about 24 days. A longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after,
	sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
};

/**
 * Lets waiting messages go first: in a process that was suspended, Node calls timers before it reads its sockets.
 */
function after(ms: number, call: () => void): () => void {
	let immediate: NodeJS.Immediate | undefined;
	const soon = () => {
		immediate = setImmediate(call);
	};
	const timer = ms > 0 ? setTimeout(soon, Math.min(ms, LONGEST_TIMER_MS)) : undefined;
	if (!timer) soon();
	return () => {
		clearTimeout(timer);
		clearImmediate(immediate);
	};
}
