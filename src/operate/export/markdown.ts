import { inOneLine } from "../../collect/plain.ts";
import type { ExportSections, ExportStep } from "./sections.ts";

/**
 * The export as Markdown. Text that we did not write is in a fence or escaped, so that its headings, links, pictures and tags
 * do not become part of the document.
 */
export function markdownOf(run: ExportSections): string {
	const { facts, warnings, outcome, steps, diff, notes } = run;
	return [
		`# ${escapedMarkdown(run.title)}`,
		...section(
			"Notes",
			notes.map((note) => `- ${escapedMarkdown(note)}`),
		),
		"## Facts",
		facts.map(({ name, value }) => `- **${name}**: ${escapedMarkdown(value)}`).join("\n"),
		"## Task",
		inFence(run.task),
		...section(
			"Warnings",
			warnings.map((warning) => `- ${escapedMarkdown(warning)}`),
		),
		"## Outcome",
		...(outcome.error === undefined ? [] : ["**Error**", inFence(outcome.error)]),
		...(outcome.answer === undefined ? ["(no answer)"] : [inFence(outcome.answer)]),
		"## Transcript",
		...steps.flatMap(stepInMarkdown),
		...(diff ? ["## Changes", inFence(diff.lines.join("\n"), "diff")] : []),
		...(diff && diff.more > 0 ? [`${diff.more} more lines are left out.`] : []),
		"---",
		run.madeBy,
	]
		.join("\n\n")
		.concat("\n");
}

const section = (title: string, lines: string[]): string[] =>
	lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

function stepInMarkdown(step: ExportStep): string[] {
	if (step.type === "gap") return [`*${step.text}*`];
	const at = step.at === "" ? "" : ` · ${step.at}`;
	if (step.type === "message") return [`### ${step.who}${at}`, inFence(step.text)];
	const how = step.how === "" ? "" : ` (${step.how})`;
	return [
		`### Tool: ${escapedMarkdown(step.name)}${how}${at}`,
		inFence(step.arguments, "json"),
		...(step.how === "no result" ? [] : [inFence(step.result)]),
	];
}

/** The fence is longer than any row of backticks in the text, so that the text cannot end it. */
function inFence(text: string, language = "text"): string {
	let longest = 2;
	for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
}

const escapedMarkdown = (text: string): string => inOneLine(text).replace(/[\\`*_[\]<>|!#~&]/g, "\\$&");
