import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { historyOf } from "../../operate/history.ts";
import { infoOf } from "../../operate/info.ts";
import { historyReport } from "../../operate/report/history.ts";
import { runInfoReport } from "../../operate/report/run-info.ts";
import { runListReport } from "../../operate/report/run-list.ts";
import { listRuns, summaryOf } from "../../operate/runs.ts";
import { HOW_TO_BEGIN } from "../how-to-begin.ts";
import { changesSubcommands } from "./changes.ts";
import type { CommandAnswer, Subcommand } from "./command.ts";
import { usage } from "./command.ts";
import { exportSubcommand } from "./export.ts";
import { type NewAgentSetup, newSubcommand } from "./new-agent.ts";
import { runSubcommand } from "./run.ts";
import type { RunsOfSession } from "./runs-of-session.ts";
import { sendMessage } from "./send.ts";
import { settingsCommand } from "./settings.ts";
import { widthFor } from "./show.ts";
import { stopAllRuns, stopOneRun } from "./stop.ts";
import { webSubcommand } from "./web-page.ts";
import { firstWord, onlyWord } from "./words.ts";

const LISTED = 20;
const LOGGED = 10;

export interface SubagentsSetup extends NewAgentSetup {
	runs: RunsOfSession;
	/** Runs were asked to stop: the loop that watches them should look. */
	onStopped: (ctx: ExtensionContext) => void;
}

/** What `/subagents` can do. */
export function subagentsSubcommands(setup: SubagentsSetup): Subcommand[] {
	const { pi, runs, decisions, onSpawned, onStopped } = setup;
	const list: Subcommand = {
		name: "list",
		takes: "[all|number]",
		does: "list the runs of this session, open ones first",
		async run(args, ctx) {
			const limit = args === "" ? LISTED : args === "all" ? Number.MAX_SAFE_INTEGER : Number(args);
			if (!Number.isSafeInteger(limit) || limit < 1) return misused(list, `"${args}" is not a number of runs.`);
			return runs.use(
				ctx,
				(services, scope) =>
					runListReport(listRuns({ ...scope, limit }, services), {
						width: widthFor(ctx),
						now: Date.now(),
						none: HOW_TO_BEGIN,
						howToSeeMore: "`/subagents list 100` shows a hundred, `/subagents list all` every one.",
					}),
				[HOW_TO_BEGIN],
			);
		},
		complete: async (typed) => onlyIfBegun({ value: "all", label: "all", description: "every run" }, typed),
	};
	const stop: Subcommand = {
		name: "stop",
		takes: "<id|#|all>",
		does: "stop a run, or all open runs",
		async run(args, ctx) {
			const name = onlyWord(args);
			if (name === "") return misused(stop, "Which run?");
			const answer = await (name === "all" ? stopAllRuns(ctx, runs) : stopOneRun(ctx, runs, name));
			onStopped(ctx);
			return answer;
		},
		complete: async (typed) => {
			const open = await runs.offer(typed, { openOnly: true });
			const all = { value: "all", label: "all", description: "every open run" };
			return open.length > 0 ? [...open, ...onlyIfBegun(all, typed)] : [];
		},
	};
	const log: Subcommand = {
		name: "log",
		takes: "<id|#> [limit] [tools]",
		does: "show what was said in its session",
		async run(args, ctx) {
			const { name, limit, includeTools } = logRequest(args);
			if (name === "") return misused(log, "Which run?");
			return runs.withRun(ctx, name, (record, services) =>
				historyReport(historyOf(record, { limit, includeTools }, services), {
					width: widthFor(ctx),
					run: summaryOf(record, services),
				}),
			);
		},
		complete: (typed) => runs.offer(typed),
	};
	const info: Subcommand = {
		name: "info",
		takes: "<id|#>",
		does: "show everything about a run",
		async run(args, ctx) {
			const name = onlyWord(args);
			if (name === "") return misused(info, "Which run?");
			return runs.withRun(ctx, name, (record, services) =>
				runInfoReport(infoOf(record, services), { width: widthFor(ctx), now: Date.now() }),
			);
		},
		complete: (typed) => runs.offer(typed),
	};
	const send: Subcommand = {
		name: "send",
		takes: "<id|#> <message>",
		does: "steer an open run, or resume one that has finished",
		async run(args, ctx) {
			const { word: name, rest: message } = firstWord(args);
			if (name === "") return misused(send, "Which run?");
			if (message === "") return misused(send, "There is no message.");
			return runs.withRun(ctx, name, (record, services) =>
				sendMessage({ pi, decisions, onSpawned, record, message, ctx, services }),
			);
		},
		complete: async (typed) => (await runs.offer(typed)).map((item) => ({ ...item, value: `${item.value} ` })),
	};
	return [
		runSubcommand(setup),
		newSubcommand(setup),
		list,
		stop,
		log,
		info,
		exportSubcommand(runs),
		send,
		...changesSubcommands(runs),
		webSubcommand,
		settingsCommand(setup.openSession),
	];
}

const onlyIfBegun = (item: AutocompleteItem, typed: string): AutocompleteItem[] =>
	item.value.startsWith(typed.trim()) && item.value !== typed.trim() ? [item] : [];

const misused = (subcommand: Subcommand, problem: string): CommandAnswer => ({
	problem: `${problem} Nothing was done. Usage: ${usage("subagents", subcommand)}`,
});

/** The limit and the word `tools` come last: the words before them are a name, which may have spaces. */
function logRequest(args: string): { name: string; limit: number; includeTools: boolean } {
	const quoted = /^\s*"/.test(args);
	const { word, rest } = firstWord(args);
	const words = (quoted ? rest : args).split(/\s+/).filter((part) => part !== "");
	let limit = LOGGED;
	let includeTools = false;
	while (words.length > (quoted ? 0 : 1)) {
		const last = words.at(-1) ?? "";
		if (last === "tools") includeTools = true;
		else if (/^[1-9]\d{0,5}$/.test(last)) limit = Number(last);
		else break;
		words.pop();
	}
	return { name: quoted ? word : words.join(" "), limit, includeTools };
}
