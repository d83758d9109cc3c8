/** Node fires a timer of more than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after a while; answers how to call it off. */
export function timer(ms: number, callBack: () => void): () => void {
	const handle = setTimeout(callBack, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
	return () => clearTimeout(handle);
}
