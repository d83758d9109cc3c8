import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import type { LiveRuns } from "../supervise/live-runs.ts";
import type { DelegationSetup } from "./delegation-setup.ts";
import { HOW_TO_BEGIN } from "./how-to-begin.ts";
import { INSPECTOR_KEY } from "./inspector-key.ts";
import { parentLog } from "./parent-log.ts";
import { wasEverUsed } from "./session-services.ts";
import { Widget } from "./widget.ts";

/** With more names, the greeting would not fit one line. */
const AGENTS_GREETED = 8;

export interface TerminalUiSetup extends DelegationSetup {
	live: LiveRuns;
}

/**
 * What a user in a terminal sees of runs: the widget above the editor, and the inspector, which is loaded on demand. Both
 * end with the session.
 */
export class TerminalUi {
	readonly #setup: TerminalUiSetup;
	readonly #endings = new Set<() => void>();
	/** The context of the session itself, which is valid for as long as the session lasts. */
	#session: ExtensionContext | undefined;
	#isInspecting = false;

	constructor(setup: TerminalUiSetup) {
		this.#setup = setup;
		setup.pi.registerShortcut(INSPECTOR_KEY, {
			description: "View, steer and stop subagents",
			handler: (ctx) => this.openInspector(ctx),
		});
	}

	begin(ctx: ExtensionContext, { widget }: { widget: boolean }): void {
		if (ctx.mode !== "tui") return;
		this.#session = ctx;
		if (!widget) return;
		const { live, services } = this.#setup;
		const shown = new Widget({ ctx, services, live, hint: `${INSPECTOR_KEY} to view` });
		this.#endings.add(() => shown.dispose());
	}

	/** One line at the start, so that a newcomer knows that there are agents, and how to see them. */
	greet(ctx: ExtensionContext, agents: readonly { name: string }[]): void {
		if (ctx.mode !== "tui" || agents.length === 0) return;
		const names = agents.slice(0, AGENTS_GREETED).map(({ name }) => inOneLine(name));
		const more = agents.length - names.length;
		const who = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
		ctx.ui.notify(`Subagents: ${who} · ${INSPECTOR_KEY} to view`, "info");
	}

	/** A turn was aborted. Runs that no call waits for continue, and the user may think otherwise. */
	async turnAborted(ctx: ExtensionContext): Promise<void> {
		const { live, services } = this.#setup;
		const session = this.#session;
		if (ctx.mode !== "tui" || !session || live.open.length === 0) return;
		try {
			await (await import("./lazy.ts")).sayStillRunning({ session, services, open: live.open });
		} catch (error) {
			parentLog.warn("cannot say what keeps running", { error });
		}
	}

	/** pi is about to exit, and its screen is gone. */
	async closing(ctx: ExtensionContext): Promise<void> {
		const { live, services } = this.#setup;
		if (ctx.mode !== "tui" || live.open.length === 0) return;
		try {
			await (await import("./lazy.ts")).printStillRunning({ session: ctx, services, open: live.open });
		} catch (error) {
			// The ledger may be locked, for example. pi exits anyway.
			parentLog.warn("cannot say what keeps running", { error });
		}
	}

	/** Resolves when the user has left it. */
	async openInspector(ctx: ExtensionContext): Promise<void> {
		const session = this.#session;
		if (ctx.mode !== "tui" || !session) {
			return void ctx.ui.notify("The inspector works only in a terminal.", "warning");
		}
		// Opening the inspector must not create a ledger.
		if (!wasEverUsed()) return void ctx.ui.notify(HOW_TO_BEGIN, "info");
		if (this.#isInspecting) return;
		this.#isInspecting = true;
		try {
			const { inspect } = await import("./lazy.ts");
			if (this.#session === session) await inspect(ctx, { ...this.#setup, session, endings: this.#endings });
		} finally {
			this.#isInspecting = false;
		}
	}

	/** This process leaves the session: from now on, nothing here may draw, tick or use its context. */
	end(): void {
		this.#session = undefined;
		for (const end of [...this.#endings]) end();
		this.#endings.clear();
	}
}
