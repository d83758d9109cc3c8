/** Stops waiting for work that cannot be stopped itself. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>();
	const abort = () => reject(signal.reason);
	if (signal.aborted) abort();
	signal.addEventListener("abort", abort, { once: true });
	return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** A signal that combines the caller's and a time limit, and the time limit's own signal, to tell them apart. */
export function withTimeout(timeoutMs: number, caller: AbortSignal | undefined) {
	const timeout = AbortSignal.timeout(timeoutMs);
	return { timeout, signal: caller ? AbortSignal.any([caller, timeout]) : timeout };
}
