import type { MessageRenderer, Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import { readStoppedDetails } from "../../deliver/stored-details.ts";
import { plural } from "../../run/amounts.ts";
import { isSandboxReport } from "../../run/outcome-check.ts";
import { sandboxInShort } from "../../run/sandbox-report.ts";
import { expandHint, withHint } from "./expand-hint.ts";
import { consumption, factLines } from "./fact-lines.ts";
import { cut, fitted } from "./fitted.ts";
import { fieldsOf, type StoredFields, storedList } from "./stored.ts";
import { contentText, readFacts, shortText } from "./subagent-view.ts";

/** Runs that the user stopped with one command or key: one line, and a line for each run when expanded. */
export const stoppedLine: MessageRenderer = (message, options, theme) => {
	const { expanded, outputPad } = options;
	const details = readStoppedDetails(message.details);
	const runs = storedList(details?.runs)
		.map(fieldsOf)
		.filter((run) => run !== undefined);
	const hint = expandHint(theme, options);
	const pad = " ".repeat(outputPad);
	return fitted((width) => {
		const inner = Math.max(1, width - 2 * outputPad);
		return lines(inner).map((line) => pad + line);
	});

	function lines(width: number): string[] {
		// If a newer version wrote it, only the model's text can be used.
		if (runs.length === 0) return wrapTextWithAnsi(theme.fg("muted", plain(textOfMessage(message.content))), width);
		const title = `${theme.fg("warning", "✗ stopped")} ${theme.fg("muted", plural(runs.length, "run"))}`;
		if (expanded) return [title, ...runs.flatMap((run) => stoppedRunLines(run, theme, width))];
		const names = runs.map((run) => nameOfStopped(run, theme)).join(", ");
		const more = runs.some(({ notes }) => storedList(notes).length > 0)
			? ` · ${withHint("more", { theme, hint })}`
			: "";
		return [`${cut(`${title}${theme.fg("muted", ": ")}${names}`, Math.max(1, width - visibleWidth(more)))}${more}`];
	}
};

function stoppedRunLines(run: StoredFields, theme: Theme, width: number): string[] {
	const drawing = { theme, width: Math.max(1, width - 2), expanded: true, hint: "" };
	const facts = [
		nameOfStopped(run, theme),
		...consumption(readFacts(run), drawing),
		...(isSandboxReport(run.sandbox) ? [sandboxInShort(run.sandbox)] : []),
		`run ${shortText(run.runId) ?? ""}`,
	];
	const notes = storedList(run.notes).flatMap((note) => shortText(note) ?? []);
	return [
		...factLines(facts, drawing),
		...notes.flatMap((note) => wrapTextWithAnsi(theme.fg("warning", note), drawing.width)),
	].map((line, index) => `${index === 0 ? "" : "  "}${line}`);
}

function nameOfStopped(run: StoredFields, theme: Theme): string {
	const label = shortText(run.label);
	const agent = theme.fg("accent", shortText(run.agent) ?? "subagent");
	return label === undefined ? agent : `${agent} ${theme.fg("muted", label)}`;
}

const textOfMessage = (content: unknown): string => (typeof content === "string" ? content : contentText(content));
