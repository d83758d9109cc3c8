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
	/** What `/subagents` alone opens in a terminal. */
	openInspector: (ctx: ExtensionCommandContext) => Promise<void>;
	/** What a run that this process watches told last. */
	liveProgress: (id: RunId) => Progress | undefined;
	/** A command waits for a run: it is not announced meanwhile. */
	awaiting: { begin(id: RunId): void; end(id: RunId): void };
	/** Aborted when the session is over. */
	over: AbortSignal;
	writeQuestions: WriteQuestions;
}

/** The commands of a user's pi. What they do is loaded for the first one that is typed: a start need not wait for it. */
export function registerCommands(setup: CommandsSetup): void {
	const { pi } = setup;
	// Completion is asked for without a context.
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
			// What cannot be looked up now is not offered: an error in the middle of typing helps nobody.
			getArgumentCompletions: async (typed) =>
				answers()
					.then((all) => all[name].complete(typed))
					.catch(() => null),
		});
	}
}
