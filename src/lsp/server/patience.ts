export interface Patience {
	ms?: number;
	/** The error when the time is up. */
	late?: () => Error;
	signal?: AbortSignal | undefined;
	/** Rejects when the server that should answer is gone. */
	gone?: Promise<never>;
}

/** Waits for a promise until a time limit, an abort or the end of the server that should answer. */
export async function waitFor<T>(promise: Promise<T>, { ms, late, signal, gone }: Patience): Promise<T> {
	promise.catch(() => {}); // It may still reject later, without a listener.
	signal?.throwIfAborted();
	const { promise: over, reject } = Promise.withResolvers<never>();
	const timer = ms === undefined ? undefined : setTimeout(() => reject(late?.()), ms);
	const onAbort = () => reject(signal?.reason);
	signal?.addEventListener("abort", onAbort, { once: true });
	try {
		return await Promise.race([promise, over, ...(gone ? [gone] : [])]);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", onAbort);
	}
}
