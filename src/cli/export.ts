import { resolve } from "node:path";
import { isDenial } from "../operate/denial.ts";
import { EXPORT_FORMATS, type ExportFormat, exportFormatOf, exportRun } from "../operate/export/export.ts";
import { saveExport } from "../operate/export/save.ts";
import { changeSources } from "./change-request.ts";
import { type Command, textOption } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const exportCommand: Command = {
	name: "export",
	takes: `<run> [--html|--md|--json|--otlp] [-o <file>] [--force] ${SCOPE_TAKES}`,
	does: "export a run for sharing: its details, transcript, changes and outcome, with secrets masked",
	words: [1, 1],
	completes: "runs",
	options: {
		html: { type: "boolean", does: "as one self-contained HTML page" },
		md: { type: "boolean", does: "as Markdown (the default)" },
		otlp: { type: "boolean", does: "as OpenTelemetry spans, in the form that a collector accepts" },
		output: {
			type: "string",
			short: "o",
			takes: "<file>",
			does: "write to this file instead of printing; its extension can choose the format",
		},
		force: { type: "boolean", does: "overwrite an existing file" },
		...SCOPE_OPTIONS,
	},
	async run(call) {
		const { options, out } = call;
		const file = textOption(options.output);
		const format = chosenFormat(options, file);
		if (typeof format === "object") return out.misused(format.error);
		return withRunNamed(
			call,
			async (record, ledger) => {
				const exported = await exportRun(record, format, changeSources(ledger));
				if (isDenial(exported)) return out.failed(exported.error);
				if (file === undefined || file === "-") {
					out.text(exported.text);
					return 0;
				}
				const refused = saveExport(resolve(file), exported.text, { replace: options.force === true });
				if (refused) return out.failed(`${refused.error}${options.force ? "" : " --force replaces it."}`);
				out.lines([`Wrote ${file}`]);
				return 0;
			},
			{ toLook: true },
		);
	},
};

function chosenFormat(
	options: Readonly<Record<string, unknown>>,
	file: string | undefined,
): ExportFormat | { error: string } {
	const [asked, ...others] = EXPORT_FORMATS.filter((name) => options[name] === true);
	if (others.length > 0) return { error: `--${asked} and --${others[0]} cannot be combined.` };
	if (asked !== undefined) return asked;
	if (file === undefined || file === "-") return "md";
	return (
		exportFormatOf(file) ?? { error: `The name "${file}" does not imply a format: add --html, --md, --json or --otlp.` }
	);
}
