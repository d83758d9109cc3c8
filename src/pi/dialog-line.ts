import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

type Ui = ExtensionContext["ui"];

/** pi gives each session an interface of its own: what was left open in one holds up nobody in the next. */
const lines = new WeakMap<Ui, Promise<unknown>>();

/**
 * Shows one dialog after the other: pi's terminal has room for one, a second takes its place, and the first is never
 * answered. So may any dialog of another extension's be; a turn is over with its signal, answered or not.
 */
export function inTurn<Shown>(ui: Ui, show: () => Promise<Shown>, signal: AbortSignal): Promise<Shown | undefined> {
	const before = lines.get(ui) ?? Promise.resolve();
	const turn = before.then(() => (signal.aborted ? undefined : untilAborted(show, signal)));
	lines.set(
		ui,
		turn.catch(() => undefined),
	);
	return turn;
}

async function untilAborted<Shown>(show: () => Promise<Shown>, signal: AbortSignal): Promise<Shown | undefined> {
	const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
	const leave = () => resolve(undefined);
	signal.addEventListener("abort", leave, { once: true });
	try {
		return await Promise.race([show(), aborted]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
}
