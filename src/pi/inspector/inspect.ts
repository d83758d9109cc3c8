import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { TerminalUiSetup } from "../terminal-ui.ts";
import { runActions } from "./actions.ts";
import { Inspector, type InspectorResult } from "./inspector.ts";

interface InspectSetup extends TerminalUiSetup {
	/** The context of the session itself. */
	session: ExtensionContext;
	/** What is to be done when the session is over. */
	endings: Set<() => void>;
}

/** Shows the inspector over pi's screen until the user leaves it, or the session ends. */
export async function inspect(ctx: ExtensionContext, setup: InspectSetup): Promise<void> {
	const { services, session, endings, live } = setup;
	let close = () => {};
	endings.add(end);
	try {
		const { open } = await services.use(session, (available) =>
			ctx.ui.custom<InspectorResult>(
				(tui, theme, _keybindings, done) => {
					const inspector = new Inspector({
						tui,
						theme,
						live,
						parentSession: session.sessionManager.getSessionId(),
						sources: available,
						actions: runActions({ ...setup, canOpen: canSwitch(ctx), available }),
						done,
					});
					close = () => inspector.close();
					return inspector;
				},
				{ overlay: true, overlayOptions: { anchor: "top-left", width: "100%", maxHeight: "100%", margin: 0 } },
			),
		);
		if (open !== undefined && canSwitch(ctx)) await ctx.switchSession(open);
	} finally {
		endings.delete(end);
	}

	function end(): void {
		close();
	}
}

interface CanSwitch extends ExtensionContext {
	switchSession(file: string): Promise<unknown>;
}

/** Commands may switch to another session, shortcuts may not. */
const canSwitch = (ctx: ExtensionContext): ctx is CanSwitch =>
	"switchSession" in ctx && typeof ctx.switchSession === "function";
