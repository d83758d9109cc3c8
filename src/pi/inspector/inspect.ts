import { rmSync, statSync } from "node:fs";
import { type ExtensionContext, getAgentDir, SessionManager } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import type { PoolSettings } from "../../config/config.ts";
import type { RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { PoolLook } from "../../run/pool-status.ts";
import type { TerminalUiSetup } from "../terminal-ui.ts";
import { runActions, type SessionToOpen } from "./actions.ts";
import { Inspector, type InspectorResult } from "./inspector.ts";

interface InspectSetup extends TerminalUiSetup {
	/** The context of the session itself. */
	session: ExtensionContext;
	/** What to do when the session is over. */
	endings: Set<() => void>;
}

/** Loads the part for pools only where there is one. */
async function lookAtPoolsHere(pools: readonly PoolSettings[]): Promise<PoolLook[]> {
	if (pools.length === 0) return [];
	const { lookAtPools } = await import("../../pool/look.ts");
	return lookAtPools(pools, { agentDir: getAgentDir(), env: process.env });
}

/** Unsent messages. They outlive the inspector, because the key that closes it also leaves a draft. */
const drafts = new Map<RunId, string>();

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
						cwd: session.cwd,
						drafts,
						sources: available,
						actions: runActions({ ...setup, canOpen: canSwitch(ctx), available }),
						lookAtPools: () => lookAtPoolsHere(available.config.pools),
						done,
					});
					close = () => inspector.close();
					return inspector;
				},
				{ overlay: true, overlayOptions: { anchor: "top-left", width: "100%", maxHeight: "100%", margin: 0 } },
			),
		);
		if (open !== undefined && canSwitch(ctx)) await continueInCopy(ctx, session, open);
	} finally {
		endings.delete(end);
	}

	function end(): void {
		close();
	}
}

/**
 * Continues in a copy of the session, beside the user's own sessions, where pi lists sessions and creates those of a later
 * /new. The original belongs to the subagent, which may have to continue it, and is archived one day.
 */
async function continueInCopy(ctx: CanSwitch, session: ExtensionContext, { file, cwd }: SessionToOpen): Promise<void> {
	const here = session.sessionManager;
	// pi has a folder for each directory.
	const folder = cwd === here.getCwd() ? here.getSessionDir() : undefined;
	let copy: string | undefined;
	const mask = process.umask(0o077); // Private to the user even while it is written.
	try {
		// Reading a pipe would block pi forever.
		if (!statSync(file).isFile()) throw new Error(`${inOneLine(file)} is not a file.`);
		copy = SessionManager.forkFrom(file, cwd, folder).getSessionFile();
	} catch (error) {
		return void ctx.ui.notify(`The session cannot be copied: ${messageOf(error)}`, "error");
	} finally {
		process.umask(mask);
	}
	if (copy === undefined) return;
	const { cancelled } = await ctx.switchSession(copy);
	if (cancelled) rmSync(copy);
}

interface CanSwitch extends ExtensionContext {
	switchSession(file: string): Promise<{ cancelled: boolean }>;
}

/** Commands may switch to another session, shortcuts may not. */
const canSwitch = (ctx: ExtensionContext): ctx is CanSwitch =>
	"switchSession" in ctx && typeof ctx.switchSession === "function";
