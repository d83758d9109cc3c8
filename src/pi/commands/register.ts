import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import type { WriteQuestions } from "../write-consent.ts";
import type { CommandAnswers } from "./answers.ts";
import { REPORT, renderReport } from "./report-entry.ts";

export interface CommandsSetup extends DelegationSetup {
	/** Runs were asked to stop: the loop that watches them should look. */
	onStopped: (ctx: ExtensionContext) => void;
	/** The view that `/subagents` alone opens in a terminal. */
	openInspector: (ctx: ExtensionCommandContext) => Promise<void>;
	/** The latest progress of a run that this process watches. */
	liveProgress: (id: RunId) => Progress | undefined;
	/** A command waits for a run, which must not be announced in the meantime. */
	awaiting: { begin(id: RunId): void; end(id: RunId): void };
	/** Aborted when the session is over. */
	over: AbortSignal;
	writeQuestions: WriteQuestions;
}

/**
 * The commands of a user's pi. Their code is loaded when the user types the first command, so that pi starts faster.
 */
export function registerCommands(setup: CommandsSetup): void {
	const { pi } = setup;
	// pi asks for completions without a context.
	let openSession: ExtensionContext | undefined;
	pi.on("session_start", (_event, ctx) => {
		openSession = ctx;
	});
	pi.on("session_shutdown", () => {
		openSession = undefined;
	});
	let loaded: CommandAnswers | undefined;
	const answers = async () => {
		loaded ??= (await import("../lazy.ts")).commandAnswers(setup, () => openSession);
		return loaded;
	};
	pi.registerEntryRenderer(REPORT, renderReport);
	register("subagents", "Subagents of this session: run, list, stop, agents, doctor, help and more");
	register("toolkit", "Agents, doctor, logs, activity and help for subagents");
	pi.registerCommand("stop", {
		description: "Stop the turn and every subagent of this session",
		handler: async (args, ctx) => (await answers()).stop(args, ctx),
	});

	function register(name: "subagents" | "toolkit", description: string): void {
		pi.registerCommand(name, {
			description,
			handler: async (args, ctx) => (await answers())[name].run(args, ctx),
			// If names cannot be looked up now, offer none: an error in the middle of typing does not help the user.
			getArgumentCompletions: async (typed) =>
				answers()
					.then((all) => all[name].complete(typed))
					.catch(() => null),
		});
	}
}
