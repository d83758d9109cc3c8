import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

type Ui = ExtensionContext["ui"];

/** pi gives each session an interface of its own: a dialog left open in one session does not hold up the next. */
const lines = new WeakMap<Ui, Promise<unknown>>();

/**
 * Shows one dialog after the other: pi's terminal has room for one, a second replaces it, and the first is never answered.
 * A dialog of another extension may replace ours too; a turn ends with its signal, answered or not.
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
