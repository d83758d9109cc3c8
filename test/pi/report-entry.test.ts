import { stripVTControlCharacters } from "node:util";
import { initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import type { CheckResult } from "../../src/operate/doctor/check.ts";
import { doctorReport } from "../../src/operate/doctor/report.ts";
import { renderReport } from "../../src/pi/commands/report-entry.ts";
import { theme as themeOfPi } from "./row.ts";

const theme = {
	fg: (color: string, text: string) => `\u001b[1m<${color}>${text}\u001b[0m`,
	bg: (_: string, text: string) => text,
	bold: (text: string) => text,
} as unknown as Theme;

const results: CheckResult[] = [
	{ check: "versions", level: "pass", what: "Node and pi are recent enough" },
	{ check: "programs", level: "warn", what: "rg is missing", remedy: "Install ripgrep." },
	{ check: "agents", level: "fail", what: "broken.md has no name", detail: "ok as a name\nFAIL as a name" },
];

/** The lines of a report, with the colour that each part begins with. */
const drawn = (lines: string[], width: number): string[] =>
	renderReport({ data: { text: lines.join("\n") } } as never, {} as never, theme)
		?.render(width)
		.map((line) => stripVTControlCharacters(line).trim())
		.filter((line) => line !== "") ?? [];

test("the doctor's report has a title, and a colour for each result as in the shell", () => {
	const lines = drawn(doctorReport(results, { width: 200 }), 300);
	expect(lines).toEqual([
		"<customMessageLabel>pi-geon doctor",
		"<customMessageText>",
		"<success>ok<customMessageText>    versions: Node and pi are recent enough",
		"<warning>warn<customMessageText>  programs: rg is missing",
		"<customMessageText>      → Install ripgrep.",
		"<error>FAIL<customMessageText>  agents: broken.md has no name",
		"<customMessageText>      ok as a name",
		"<customMessageText>      FAIL as a name",
		"<customMessageText>",
		"<customMessageText>1 failed, 1 warning.",
	]);
});

test("other reports have no such colours", () => {
	expect(drawn(["Runs", "ok    this is not the doctor's"], 100)).toEqual([
		"<customMessageLabel>Runs",
		"<customMessageText>ok    this is not the doctor's",
	]);
});

test.each([40, 80, 120])("the report fits %d columns", async (width) => {
	await expect(`${doctorReport(results, { width }).join("\n")}\n`).toMatchFileSnapshot(
		`./snapshots/doctor-${width}.txt`,
	);
});

const COLOURS = ["customMessageLabel", "customMessageText", "success", "warning", "error"] as const;

/** A line of pi's screen, with the names that its theme has for the colours. */
const named = (line: string): string => {
	const names = COLOURS.reduce((text, name) => text.replaceAll(themeOfPi.getFgAnsi(name), `<${name}>`), line);
	return stripVTControlCharacters(names).trimEnd();
};

test.each(["light", "dark"])("pi draws the doctor's report with the colours of the %s theme", async (themeName) => {
	initTheme(themeName);
	const drawn = [40, 80, 120].map((width) => {
		const text = doctorReport(results, { width: width - 2 }).join("\n");
		const lines = renderReport({ data: { text } } as never, {} as never, themeOfPi)?.render(width) ?? [];
		for (const line of lines) {
			expect(visibleWidth(line), line).toBe(width);
			expect(line).toContain(themeOfPi.getBgAnsi("customMessageBg"));
		}
		return `${`--${width}`.padEnd(width, "-")}\n${lines.map(named).join("\n")}\n`;
	});
	await expect(drawn.join("\n")).toMatchFileSnapshot("./snapshots/doctor-in-pi.txt");
});
