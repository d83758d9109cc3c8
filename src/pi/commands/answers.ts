import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { messageOf } from "../../run/message-of.ts";
import { wasEverUsed } from "../session-services.ts";
import { type CommandAnswer, completions, dispatch, type Subcommand } from "./command.ts";
import { EscapeStops } from "./escape-stops.ts";
import type { CommandsSetup } from "./register.ts";
import { RunsOfSession } from "./runs-of-session.ts";
import { show } from "./show.ts";
import { stopEverything } from "./stop.ts";
import { subagentsSubcommands } from "./subagents.ts";
import { toolkitSubcommands } from "./toolkit.ts";

type CommandRun = (args: string, ctx: ExtensionCommandContext) => Promise<void>;

interface CommandWithSubcommands {
	run: CommandRun;
	complete(typed: string): Promise<AutocompleteItem[] | null>;
}

export interface CommandAnswers {
	subagents: CommandWithSubcommands;
	toolkit: CommandWithSubcommands;
	stop: CommandRun;
}

/** What `/subagents`, `/toolkit` and `/stop` do. */
export function commandAnswers(setup: CommandsSetup, openSession: () => ExtensionContext | undefined): CommandAnswers {
	const { pi, services, openInspector, onStopped } = setup;
	const runs = new RunsOfSession(services, openSession);
	const escapeStops = new EscapeStops(setup);
	const own = subagentsSubcommands({ ...setup, runs, openSession, escapeStops });
	const { toolkit, ofBoth } = toolkitSubcommands({ ...setup, runs, subagents: own });
	const subagents = [...own, ...ofBoth];
	return {
		subagents: command("subagents", subagents, async (ctx) => {
			if (ctx.mode === "tui" && wasEverUsed()) return void (await openInspector(ctx));
			return dispatch("subagents", subagents, { args: "list", ctx });
		}),
		toolkit: command("toolkit", toolkit, (ctx) => dispatch("toolkit", toolkit, { args: "help", ctx })),
		stop: (args, ctx) => answering(ctx, () => stopEverything(args, ctx, { runs, onStopped })),
	};

	function command(
		name: string,
		subcommands: Subcommand[],
		alone: (ctx: ExtensionCommandContext) => Promise<CommandAnswer>,
	): CommandWithSubcommands {
		return {
			run: (args, ctx) =>
				answering(ctx, () => (args.trim() === "" ? alone(ctx) : dispatch(name, subcommands, { args, ctx }))),
			complete: (typed) => completions(subcommands, typed),
		};
	}

	/** Answers even if something of ours is broken, such as a ledger that cannot be opened, or the disk is full. */
	async function answering(ctx: ExtensionCommandContext, work: () => Promise<CommandAnswer>): Promise<void> {
		const answer = await work().catch((error): CommandAnswer => ({ problem: messageOf(error) }));
		await show(answer, ctx, pi);
	}
}
