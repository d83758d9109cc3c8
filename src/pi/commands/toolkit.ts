import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { placesIn } from "../../ledger/places.ts";
import { findRun } from "../../ledger/records.ts";
import { openRunIds } from "../../ledger/run-list.ts";
import { lastStep, toolActivity } from "../../operate/activity.ts";
import { lookAtQueue } from "../../operate/queue-position.ts";
import { activityReport } from "../../operate/report/activity.ts";
import { summaryOf } from "../../operate/runs.ts";
import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import { parentRedactor } from "../parent-log.ts";
import { activity } from "../view/activity.ts";
import type { WriteQuestions } from "../write-consent.ts";
import { agentsCommand } from "./agents.ts";
import { type CommandAnswer, type Subcommand, usage } from "./command.ts";
import { showDoctor, showLogs } from "./doctor-and-logs.ts";
import { helpReport } from "./help.ts";
import type { RunsOfSession } from "./runs-of-session.ts";
import { widthFor } from "./show.ts";

export interface ToolkitSetup {
	pi: ExtensionAPI;
	runs: RunsOfSession;
	/** The subcommands that only `/subagents` has, for the help. */
	subagents: readonly Subcommand[];
	/** The latest progress of a run that this process watches. */
	liveProgress: (id: RunId) => Progress | undefined;
	/** Aborted when the session is over. */
	over: AbortSignal;
	writeQuestions: WriteQuestions;
}

export interface ToolkitSubcommands {
	toolkit: Subcommand[];
	/** The subcommands that work after `/subagents` too. */
	ofBoth: Subcommand[];
}

/** What `/toolkit` can do. */
export function toolkitSubcommands(setup: ToolkitSetup): ToolkitSubcommands {
	const { pi, runs, subagents, liveProgress, over, writeQuestions } = setup;
	const agents = agentsCommand(setup);
	const doctor: Subcommand = {
		name: "doctor",
		takes: "[--fix]",
		does: "check everything that can go wrong, and say what to do",
		run: (args, ctx, command) => showDoctor(pi, ctx, { command, args, width: widthFor(ctx), over, writeQuestions }),
	};
	const logs: Subcommand = {
		name: "logs",
		takes: "[run|agent|level] [limit]",
		does: "show logs, with every use of the web, document and lsp tools",
		run: (args, ctx, command) => showLogs(ctx, { command, args, width: widthFor(ctx), runs }),
	};
	const activityNow: Subcommand = {
		name: "activity",
		takes: "",
		does: "show what each open run is doing, and what the web, document and lsp tools did",
		async run(args, ctx, command) {
			const answer = nothingAfter(usage(command, activityNow), args);
			if (answer) return answer;
			const activities = await runs.use(
				ctx,
				(services, scope) => {
					const inQueue = lookAtQueue(services.ledger);
					return openRunIds(services.ledger, scope).flatMap((id) => {
						const record = findRun(services.ledger, id);
						if (!record) return [];
						const live = activity(liveProgress(id)?.displayItems, 1).lines[0];
						return [{ run: summaryOf(record, services, inQueue), doing: live ?? lastStep(record, services) }];
					});
				},
				[],
			);
			const session = ctx.sessionManager.getSessionId();
			const tools = parentRedactor().redactValue(toolActivity(placesIn(getAgentDir()), session));
			return activityReport(activities, tools, { width: widthFor(ctx), now: Date.now() });
		},
	};
	const help: Subcommand = {
		name: "help",
		takes: "",
		does: "show commands, keys and settings",
		run: async (args, ctx, command) =>
			nothingAfter(usage(command, help), args) ??
			helpReport(widthFor(ctx), { subagents: [...subagents, ...ofBoth], toolkit: [activityNow] }),
	};
	const ofBoth = [agents, doctor, logs, help];
	return { ofBoth, toolkit: [agents, doctor, logs, activityNow, help] };
}

const nothingAfter = (typed: string, args: string): CommandAnswer =>
	args === "" ? undefined : { problem: `${typed} takes no arguments. Nothing was done.` };
