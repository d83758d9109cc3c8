import { homedir } from "node:os";
import { type ExtensionCommandContext, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import { viewOf } from "../../deliver/run-view.ts";
import { findChanges } from "../../ledger/changes.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { placesIn } from "../../ledger/places.ts";
import type { RunRecord } from "../../ledger/records.ts";
import {
	applyChanges,
	type ChangeDone,
	type ChangeRefused,
	type ChangeRequest,
	undoChanges,
} from "../../operate/apply.ts";
import { branchChanges, discardChanges } from "../../operate/branch-and-discard.ts";
import { changesOf, diffOf, viewChanges } from "../../operate/changes.ts";
import { isDenial } from "../../operate/denial.ts";
import { changeDoneReport, changesListReport, changesReport, diffReport } from "../../operate/report/changes.ts";
import { cutTo } from "../../operate/report/layout.ts";
import { titleOf } from "../../operate/report/words.ts";
import { treesRoot } from "../../plan/session-place.ts";
import { changesInShort } from "../../run/changes-in-short.ts";
import { parentRedactor } from "../parent-log.ts";
import { type CommandAnswer, type Subcommand, usage } from "./command.ts";
import type { RunsOfSession } from "./runs-of-session.ts";
import { widthFor } from "./show.ts";
import { firstWord, onlyWord } from "./words.ts";

const LISTED_CHANGES = 20;
const DIFF_LINES = 2000;
const DISCARD_THEM = "Yes, discard them";
/** A question has to stay short. */
const LONGEST_DISCARDED = 60;
const NO_CHANGES = "No run of this session has changes. Only runs that work in a copy of the checkout have any.";

type ChangeAction = (
	record: RunRecord,
	request: ChangeRequest & { treesRoot: string },
) => Promise<ChangeDone | ChangeRefused>;

/** `/subagents changes | diff | apply | branch | discard` */
export function changesSubcommands(runs: RunsOfSession): Subcommand[] {
	const changes: Subcommand = {
		name: "changes",
		takes: "[id|#]",
		does: "list the changes of this session's runs; with a run, list its files",
		run: async (args, ctx) => {
			const name = onlyWord(args);
			if (name === "") {
				return runs.use<CommandAnswer>(
					ctx,
					({ ledger }, scope) =>
						changesListReport(viewChanges({ ...scope, limit: LISTED_CHANGES }, { ...sources(), ledger }), {
							width: widthFor(ctx),
							none: NO_CHANGES,
						}),
					[NO_CHANGES],
				);
			}
			return runs.withRun(ctx, name, async (record, { ledger }) => {
				const found = await changesOf(record, { ...sources(), ledger });
				return isDenial(found) ? { problem: found.error } : changesReport(found, { width: widthFor(ctx) });
			});
		},
		complete: (typed) => runs.offer(typed),
	};
	const diff: Subcommand = {
		name: "diff",
		takes: "<id|#>",
		does: "show what a run changed, as a patch",
		run: async (args, ctx) => {
			const name = onlyWord(args);
			if (name === "") return whichRun(diff);
			return runs.withRun(ctx, name, async (record, { ledger }) => {
				const found = await diffOf(record, { ...sources(), ledger });
				return isDenial(found) ? { problem: found.error } : diffReport(found, DIFF_LINES);
			});
		},
		complete: (typed) => runs.offer(typed),
	};
	const apply: Subcommand = {
		name: "apply",
		takes: "<id|#> [--undo]",
		does: "apply the changes of a run to your working tree, all or nothing; --undo reverts them",
		run: async (args, ctx) => {
			const undo = /(^|\s)--undo(\s|$)/.test(args);
			const name = onlyWord(args.replace(/(^|\s)--undo(?=\s|$)/, " ").trim());
			if (name === "") return whichRun(apply);
			return act(ctx, name, undo ? undoChanges : applyChanges);
		},
		complete: (typed) => runs.offer(typed),
	};
	const branch: Subcommand = {
		name: "branch",
		takes: "<id|#> [name]",
		does: "put the changes of a run on a new branch; your working tree stays as it is",
		run: async (args, ctx) => {
			const { word: run, rest: name } = firstWord(args);
			if (run === "") return whichRun(branch);
			return act(ctx, run, (record, request) => branchChanges(record, { ...request, ...(name !== "" && { name }) }));
		},
		complete: (typed) => runs.offer(typed),
	};
	const discard: Subcommand = {
		name: "discard",
		takes: "<id|#>",
		does: "remove the changes of a run for good",
		run: async (args, ctx) => {
			const name = onlyWord(args);
			if (name === "") return whichRun(discard);
			return runs.withRun(ctx, name, async (record, { ledger }) => {
				if (ctx.hasUI && !(await mayDiscard(ctx, record, ledger))) return ["Nothing was discarded."];
				return changed(record, ledger, discardChanges);
			});
		},
		complete: (typed) => runs.offer(typed),
	};
	return [changes, diff, apply, branch, discard];

	function act(ctx: ExtensionCommandContext, name: string, work: ChangeAction): Promise<CommandAnswer> {
		return runs.withRun(ctx, name, (record, { ledger }) => changed(record, ledger, work));
	}
}

async function changed(record: RunRecord, ledger: Ledger, work: ChangeAction): Promise<CommandAnswer> {
	const request = { ...sources(), ledger, by: "the user", treesRoot: treesRoot(getAgentDir(), homedir()) };
	const answer = await work(record, request);
	return isDenial(answer) ? { problem: request.redactor.redact(answer.error) } : changeDoneReport(answer);
}

/**
 * Names the run that was found: `last` or a number may mean a different run than the user thinks. "No" is preselected.
 */
export async function mayDiscard(ctx: ExtensionContext, record: RunRecord, ledger: Ledger): Promise<boolean> {
	const view = viewOf(record, parentRedactor());
	const changes = findChanges(ledger, record.run.id);
	const what = changes ? ` (${changesInShort(changes)})` : "";
	const run = `run ${view.runId}, ${inOneLine(view.agent)} "${cutTo(LONGEST_DISCARDED, titleOf(view))}"`;
	const question = `Discard the changes of ${run}${what}? They cannot be recovered.`;
	return (await ctx.ui.select(question, ["No, keep them", DISCARD_THEM])) === DISCARD_THEM;
}

const sources = () => ({ redactor: parentRedactor(), places: placesIn(getAgentDir()) });

const whichRun = (subcommand: Subcommand): CommandAnswer => ({
	problem: `Which run? Nothing was done. Usage: ${usage("subagents", subcommand)}`,
});
