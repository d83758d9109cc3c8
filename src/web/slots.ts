/** Lets a few pieces of work with the same key run at once; the others wait their turn. */
export class Slots {
	readonly #atOnce: number;
	readonly #busy = new Map<string, { running: number; waiting: (() => void)[] }>();

	constructor(atOnce: number) {
		this.#atOnce = atOnce;
	}

	async use<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
		const entry = this.#busy.get(key) ?? { running: 0, waiting: [] };
		this.#busy.set(key, entry);
		if (entry.running < this.#atOnce) entry.running++;
		else await turn(entry.waiting, signal);
		try {
			return await work();
		} finally {
			// A caller that leaves passes on its place, so that a later one is never faster.
			const next = entry.waiting.shift();
			if (next) next();
			else if (--entry.running === 0) this.#busy.delete(key);
		}
	}
}

function turn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const leave = () => {
		const place = waiting.indexOf(resolve);
		if (place !== -1) waiting.splice(place, 1);
		reject(signal?.reason);
	};
	if (signal?.aborted) leave();
	else waiting.push(resolve);
	signal?.addEventListener("abort", leave, { once: true });
	return promise.finally(() => signal?.removeEventListener("abort", leave));
}
