import { stripVTControlCharacters } from "node:util";
import { initTheme } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { drawRow } from "./row.ts";
import { rows } from "./rows.ts";

const WIDTHS = [40, 80, 120];

describe.each(Object.entries(rows))("a call that is %s", (name, row) => {
	test.each([false, true])("expanded: %s, with both themes", async (expanded) => {
		for (const theme of ["light", "dark"]) {
			initTheme(theme);
			const drawn = WIDTHS.map((width) => picture(drawRow({ ...row(), expanded }, width), width));
			const file = `./snapshots/${name.replaceAll(" ", "-")}${expanded ? ".expanded" : ""}.txt`;
			await expect(drawn.join("\n")).toMatchFileSnapshot(file);
		}
	});
});

/** The lines without the shell's empty ones, between marks as wide as the terminal. */
function picture(lines: readonly string[], width: number): string {
	const text = lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");
	return `${`--${width}`.padEnd(width, "-")}\n${text.replace(/^\n+|\n+$/g, "")}\n`;
}
