export interface Gate {
	readonly opened: Promise<void>;
	open(): void;
}

/** A promise that a test opens: `async () => gate.opened` holds a scripted reply until then. */
export function gate(): Gate {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { opened: promise, open: resolve };
}
