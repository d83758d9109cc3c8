import { LONGEST_TIMER_MS } from "../../ports/clock.ts";

/**
 * Calls back once after a while; returns a function that cancels it. The call comes after messages that arrived meanwhile:
 * in a process that was held up or suspended, Node calls timers before it reads its sockets.
 */
export function timer(ms: number, callBack: () => void): () => void {
	let immediate: NodeJS.Immediate | undefined;
	const handle = setTimeout(
		() => {
			immediate = setImmediate(callBack);
		},
		Math.min(Math.max(0, ms), LONGEST_TIMER_MS),
	);
	return () => {
		clearTimeout(handle);
		clearImmediate(immediate);
	};
}
