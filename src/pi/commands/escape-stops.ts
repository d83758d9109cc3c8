import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import { findRun } from "../../ledger/records.ts";
import { stopReport } from "../../operate/report/stop.ts";
import { stopRun, userStops } from "../../operate/stop.ts";
import type { RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { SessionServices } from "../session-services.ts";

const FOCUS_WIDGET = "pi-geon:focus";

export interface EscapeStopsSetup {
	services: SessionServices;
	/** Aborted when the session is over. */
	over: AbortSignal;
	/** Runs were asked to stop: the announcer should look. */
	onStopped: (ctx: ExtensionContext) => void;
}

/**
 * Esc in an empty prompt of an idle pi stops the runs that the user started here. The key is active only while there are
 * any, and only while pi's prompt has the keyboard.
 */
export class EscapeStops {
	readonly #setup: EscapeStopsSetup;
	readonly #open = new Set<RunId>();
	#focused = (): unknown => undefined;
	#unlisten: (() => void) | undefined;

	constructor(setup: EscapeStopsSetup) {
		this.#setup = setup;
	}

	/** Resolves when the run has finished, or the session is over. */
	async watch(id: RunId, ctx: ExtensionContext): Promise<void> {
		const { services, over } = this.#setup;
		this.#open.add(id);
		this.#listen(ctx);
		try {
			await services.use(ctx, ({ supervisor }) => supervisor.watch(id, { leave: over }));
		} catch {
			// The announcer reads the ledger too, and reports its errors. The key then no longer stops this run.
		}
		this.#open.delete(id);
		if (this.#open.size > 0) return;
		this.#unlisten?.();
		this.#unlisten = undefined;
		if (!over.aborted) ctx.ui.setWidget(FOCUS_WIDGET, undefined);
	}

	#listen(ctx: ExtensionContext): void {
		if (this.#unlisten) return;
		// A widget without lines, because only widgets can ask pi which component has the keyboard.
		ctx.ui.setWidget(FOCUS_WIDGET, (tui) => {
			// Not part of pi's interface for widgets, but present in every pi so far. If it is missing, Esc keeps pi's
			// meaning.
			const knowing = tui as { getFocusedComponent?(): unknown };
			this.#focused = () => knowing.getFocusedComponent?.();
			return { render: () => [], invalidate() {} };
		});
		this.#unlisten = ctx.ui.onTerminalInput((data) => {
			if (!matchesKey(data, "escape") || !this.#isPromptEmpty(ctx)) return undefined;
			void this.#stop(ctx);
			return { consume: true };
		});
	}

	#isPromptEmpty(ctx: ExtensionContext): boolean {
		const focused = this.#focused();
		// Of all components that can have the keyboard, only pi's prompt knows the keys of extensions.
		const isPrompt = typeof focused === "object" && focused !== null && "onExtensionShortcut" in focused;
		return isPrompt && ctx.isIdle() && ctx.ui.getEditorText() === "";
	}

	async #stop(ctx: ExtensionContext): Promise<void> {
		const { services, onStopped } = this.#setup;
		try {
			const stopped = await services.use(ctx, async ({ ledger, supervisor }) => {
				const records = [...this.#open].flatMap((id) => findRun(ledger, id) ?? []);
				const stopper = userStops();
				const asked = records.map((record) => stopRun(ledger, record, stopper));
				supervisor.wake();
				return asked;
			});
			ctx.ui.notify(stopReport(stopped).join("\n"), "info");
			onStopped(ctx);
		} catch (error) {
			ctx.ui.notify(`pi-geon could not stop your runs: ${messageOf(error)}`, "error");
		}
	}
}
