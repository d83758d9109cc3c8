import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LiveRuns } from "../supervise/live-runs.ts";
import type { DelegationSetup } from "./delegation-setup.ts";
import { INSPECTOR_KEY } from "./inspector-key.ts";
import { wasEverUsed } from "./session-services.ts";
import { Widget } from "./widget.ts";

export interface TerminalUiSetup extends DelegationSetup {
	live: LiveRuns;
}

/**
 * What a user in a terminal sees of runs: the widget above the editor, and the inspector, which is loaded when it is first
 * asked for. Both end with the session.
 */
export class TerminalUi {
	readonly #setup: TerminalUiSetup;
	readonly #endings = new Set<() => void>();
	/** That of the session itself: it is good for as long as the session lasts. */
	#session: ExtensionContext | undefined;
	#isInspecting = false;

	constructor(setup: TerminalUiSetup) {
		this.#setup = setup;
		setup.pi.registerShortcut(INSPECTOR_KEY, {
			description: "Look at subagents, steer and stop them",
			handler: (ctx) => this.openInspector(ctx),
		});
	}

	begin(ctx: ExtensionContext, { widget }: { widget: boolean }): void {
		if (ctx.mode !== "tui") return;
		this.#session = ctx;
		if (!widget) return;
		const { live, services } = this.#setup;
		const shown = new Widget({ ctx, services, live, hint: `${INSPECTOR_KEY} to look` });
		this.#endings.add(() => shown.dispose());
	}

	/** Resolves when the user has left it. */
	async openInspector(ctx: ExtensionContext): Promise<void> {
		const session = this.#session;
		if (ctx.mode !== "tui" || !session) {
			return void ctx.ui.notify("Subagents can be looked at in a terminal.", "warning");
		}
		// To look must not make a ledger.
		if (!wasEverUsed()) return void ctx.ui.notify("Nothing was delegated yet: there is nothing to look at.", "info");
		if (this.#isInspecting) return;
		this.#isInspecting = true;
		try {
			const { inspect } = await import("./lazy.ts");
			if (this.#session === session) await inspect(ctx, { ...this.#setup, session, endings: this.#endings });
		} finally {
			this.#isInspecting = false;
		}
	}

	/** The session is over here: nothing of ours may draw, tick or use its context any more. */
	end(): void {
		this.#session = undefined;
		for (const end of [...this.#endings]) end();
		this.#endings.clear();
	}
}
