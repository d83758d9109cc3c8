import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { wasEverUsed } from "../session-services.ts";
import type { WriteQuestions } from "../write-consent.ts";
import { type CommandAnswer, completions, dispatch, type Subcommand } from "./command.ts";
import { REPORT, renderReport } from "./report-entry.ts";
import { RunsOfSession } from "./runs-of-session.ts";
import { show } from "./show.ts";
import { stopEverything } from "./stop.ts";
import { subagentsSubcommands } from "./subagents.ts";
import { toolkitSubcommands } from "./toolkit.ts";

export interface CommandsSetup extends DelegationSetup {
	/** Runs were asked to stop: whoever tends them should look. */
	onStopped: (ctx: ExtensionContext) => void;
	/** What `/subagents` alone opens in a terminal. */
	openInspector: (ctx: ExtensionCommandContext) => Promise<void>;
	/** What a run that this process watches told last. */
	liveProgress: (id: RunId) => Progress | undefined;
	/** Aborted when the session is over. */
	over: AbortSignal;
	writeQuestions: WriteQuestions;
}

/** The commands of a user's pi: `/subagents`, `/stop`, `/toolkit`. */
export function registerCommands(setup: CommandsSetup): void {
	const { pi, services, openInspector, onStopped } = setup;
	const runs = new RunsOfSession(pi, services);
	const subagents = subagentsSubcommands({ ...setup, runs });
	const toolkit = toolkitSubcommands({ ...setup, runs, subagents });

	pi.registerEntryRenderer(REPORT, renderReport);
	register("subagents", "Subagents of this session: list, stop, log, info, send", subagents, async (ctx) => {
		if (ctx.mode === "tui" && wasEverUsed()) return void (await openInspector(ctx));
		return dispatch("subagents", subagents, { args: "list", ctx });
	});
	register("toolkit", "Subagents in general: agents, activity, help and more", toolkit, (ctx) =>
		dispatch("toolkit", toolkit, { args: "help", ctx }),
	);
	pi.registerCommand("stop", {
		description: "Stop the turn and every subagent of this session",
		handler: (args, ctx) => answering(ctx, () => stopEverything(args, ctx, { runs, onStopped })),
	});

	function register(
		name: string,
		description: string,
		subcommands: Subcommand[],
		alone: (ctx: ExtensionCommandContext) => Promise<CommandAnswer>,
	): void {
		pi.registerCommand(name, {
			description,
			handler: (args, ctx) =>
				answering(ctx, () => (args.trim() === "" ? alone(ctx) : dispatch(name, subcommands, { args, ctx }))),
			// What cannot be looked up now is not offered: an error in the middle of typing helps nobody.
			getArgumentCompletions: (typed) => completions(subcommands, typed).catch(() => null),
		});
	}

	/** Something of ours may be broken: a ledger that cannot be opened, a disk that is full. Still an answer. */
	async function answering(ctx: ExtensionCommandContext, work: () => Promise<CommandAnswer>): Promise<void> {
		const answer = await work().catch((error): CommandAnswer => ({ problem: messageOf(error) }));
		await show(answer, ctx, pi);
	}
}
