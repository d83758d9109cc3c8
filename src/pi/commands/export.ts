import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { placesIn } from "../../ledger/places.ts";
import { isDenial } from "../../operate/denial.ts";
import { type ExportFormat, exportRun } from "../../operate/export/export.ts";
import { saveExport } from "../../operate/export/save.ts";
import { parentRedactor } from "../parent-log.ts";
import { type Subcommand, usage } from "./command.ts";
import type { RunsOfSession } from "./runs-of-session.ts";
import { firstWord, onlyWord } from "./words.ts";

const FORMATS_HERE: readonly string[] = ["html", "md", "json"] satisfies ExportFormat[];

/** `/subagents export` */
export function exportSubcommand(runs: RunsOfSession): Subcommand {
	const subcommand: Subcommand = {
		name: "export",
		takes: "<id|#> [html|md|json]",
		does: "export a run to a file in the working directory, with secrets masked",
		run: async (args, ctx) => {
			const { name, format } = exportRequest(args);
			if (name === "") return { problem: `Which run? Nothing was done. Usage: ${usage("subagents", subcommand)}` };
			return runs.withRun(ctx, name, async (record, { ledger }) => {
				const sources = { ledger, redactor: parentRedactor(), places: placesIn(getAgentDir()) };
				const exported = await exportRun(record, format, sources);
				if (isDenial(exported)) return { problem: exported.error };
				const file = join(ctx.cwd, `subagent-${record.run.id}.${format}`);
				const refused = saveExport(file, exported.text, { replace: false });
				return refused ? { problem: refused.error } : [`Wrote ${file}`];
			});
		},
		complete: (typed) => runs.offer(typed),
	};
	return subcommand;
}

/** The format comes last: the words before it are a name, which may have spaces. */
function exportRequest(args: string): { name: string; format: ExportFormat } {
	const words = args.trim().split(/\s+/);
	const last = words.at(-1) ?? "";
	const hasFormat = words.length > 1 && isFormatHere(last);
	const name = hasFormat ? args.trim().slice(0, -last.length).trim() : args.trim();
	const { word, rest } = firstWord(name);
	return { name: rest === "" ? word : onlyWord(name), format: hasFormat && isFormatHere(last) ? last : "html" };
}

const isFormatHere = (word: string): word is ExportFormat => FORMATS_HERE.includes(word);
