import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

type Ui = ExtensionContext["ui"];

/** By session, since each has its own interface: a dialog left open in one session does not block the next. */
const lines = new WeakMap<Ui, Promise<unknown>>();

/**
 * Shows one dialog after the other: pi's terminal has room for one, and a second would replace the first, which then never
 * gets an answer. Since a dialog of another extension may replace ours too, a turn ends with its signal at the latest.
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
