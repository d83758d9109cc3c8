import type { RunRecord } from "../../ledger/records.ts";
import { NO_LOG } from "../../log/log.ts";
import { endedTrace, traceExport } from "../../traces/run-traces.ts";
import type { ChangeSources } from "../changes.ts";
import type { Denial } from "../denial.ts";
import { exportedRun } from "./exported-run.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { sectionsOf } from "./sections.ts";

/** `otlp`: its spans, as a trace collector accepts them. */
export const EXPORT_FORMATS = ["html", "md", "json", "otlp"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** One run as the text of one file, or why there is none. */
export async function exportRun(
	record: RunRecord,
	format: ExportFormat,
	sources: ChangeSources,
): Promise<{ text: string } | Denial> {
	if (format === "otlp") return exportSpans(record, sources);
	const exported = await exportedRun(record, sources, Date.now());
	if (format === "json") return { text: `${JSON.stringify(exported, null, 2)}\n` };
	return { text: (format === "html" ? htmlOf : markdownOf)(sectionsOf(exported)) };
}

/** The format that a file's name implies. */
export function exportFormatOf(file: string): ExportFormat | undefined {
	const [, extension = ""] = /\.(\w+)$/.exec(file) ?? [];
	const formats: Readonly<Record<string, ExportFormat>> = {
		html: "html",
		htm: "html",
		md: "md",
		markdown: "md",
		json: "json",
	};
	const known = extension.toLowerCase();
	return Object.hasOwn(formats, known) ? formats[known] : undefined;
}

/** The spans that the run's host sends, for a collector that was unreachable at the time. */
async function exportSpans(record: RunRecord, { ledger, redactor }: ChangeSources): Promise<{ text: string } | Denial> {
	const trace = endedTrace(record.run.id, { ledger, redactorFor: () => redactor });
	if (!trace)
		return { status: "error", error: `Run ${record.run.id} has not finished: its spans are known once it has.` };
	const exporter = new (traceExport().TraceExporter)({ log: NO_LOG, env: process.env });
	return { text: await exporter.asText(trace) };
}
