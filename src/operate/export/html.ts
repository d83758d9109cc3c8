import { createHash } from "node:crypto";
import type { ExportSections, ExportStep } from "./sections.ts";

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #1a7f37; --bad: #cf222e; --dim: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #ff7b72; --dim: #9198a1; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; font: 13px/1.45 ui-monospace, monospace;
	background: var(--soft); padding: .6rem .8rem; border-radius: 6px; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .15rem .6rem .15rem 0; }
th { font-weight: 600; white-space: nowrap; color: var(--dim); } td { overflow-wrap: anywhere; }
article, details { margin: .8rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
time, .dim, footer { color: var(--dim); font-size: .85rem; } .bad { color: var(--bad); }
.add { color: var(--good); } .del { color: var(--bad); } .hunk { color: var(--dim); }
`;

/** Only this style: no script, no picture, no font, no request. */
const POLICY = [
	"default-src 'none'",
	`style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

/** One self-contained page that runs nothing. Tools are folded. */
export function htmlOf(run: ExportSections): string {
	const { facts, warnings, outcome, steps, diff, notes } = run;
	return [
		'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
		`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
		'<meta name="viewport" content="width=device-width">\n<meta name="referrer" content="no-referrer">',
		`<title>${escapedHtml(run.title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>`,
		`<h1>${escapedHtml(run.title)}</h1>`,
		...listSection("Notes", notes),
		"<h2>Facts</h2>\n<table>",
		...facts.map(
			({ name, value }) => `<tr><th scope="row">${escapedHtml(name)}</th><td>${escapedHtml(value)}</td></tr>`,
		),
		"</table>",
		`<h2>Task</h2>\n${preformatted(run.task)}`,
		...listSection("Warnings", warnings),
		"<h2>Outcome</h2>",
		...(outcome.error === undefined ? [] : [`<p class="bad">Error</p>\n${preformatted(outcome.error)}`]),
		outcome.answer === undefined ? '<p class="dim">(no answer)</p>' : preformatted(outcome.answer),
		"<h2>Transcript</h2>",
		...steps.map(stepInHtml),
		...(diff ? ["<h2>Changes</h2>", `<pre>${diff.lines.map(diffLine).join("\n")}</pre>`] : []),
		...(diff && diff.more > 0 ? [`<p class="dim">${diff.more} more lines are left out.</p>`] : []),
		`</main>\n<footer><p>${escapedHtml(run.madeBy)}</p></footer>\n</body>\n</html>\n`,
	].join("\n");
}

const listSection = (title: string, lines: string[]): string[] =>
	lines.length === 0
		? []
		: [`<h2>${title}</h2>\n<ul>${lines.map((line) => `<li>${escapedHtml(line)}</li>`).join("")}</ul>`];

function stepInHtml(step: ExportStep): string {
	if (step.type === "gap") return `<p class="dim">${escapedHtml(step.text)}</p>`;
	const at = step.at === "" ? "" : ` <time>${escapedHtml(step.at)}</time>`;
	if (step.type === "message") {
		return `<article><strong>${escapedHtml(step.who)}</strong>${at}\n${preformatted(step.text)}</article>`;
	}
	const how = step.how === "" ? "" : ` <span class="bad">${step.how}</span>`;
	const result = step.how === "no result" ? "" : preformatted(step.result);
	return `<details><summary><code>${escapedHtml(step.name)}</code>${how}${at}</summary>\n${preformatted(step.arguments)}\n${result}</details>`;
}

const preformatted = (text: string): string => `<pre>${escapedHtml(text)}</pre>`;

function diffLine(line: string): string {
	const kind = /^(?:\+\+\+|---|diff |index )/.test(line)
		? "hunk"
		: { "+": "add", "-": "del", "@": "hunk" }[line[0] ?? ""];
	return kind === undefined ? escapedHtml(line) : `<span class="${kind}">${escapedHtml(line)}</span>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? "");
