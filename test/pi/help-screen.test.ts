import { stripVTControlCharacters } from "node:util";
import { initTheme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test, vi } from "vitest";
import { helpReport } from "../../src/pi/commands/help.ts";
import { renderReport } from "../../src/pi/commands/report-entry.ts";
import { type SubagentsSetup, subagentsSubcommands } from "../../src/pi/commands/subagents.ts";
import { type ToolkitSetup, toolkitSubcommands } from "../../src/pi/commands/toolkit.ts";
import { theme } from "./row.ts";

/** As long on every machine. */
vi.mock("../../src/config/package-root.ts", () => ({
	packageRoot: () => "/home/ada/.pi/agent/npm/node_modules/pi-geon",
}));

const subagents = subagentsSubcommands({} as SubagentsSetup);
const { toolkit, ofBoth } = toolkitSubcommands({ subagents } as unknown as ToolkitSetup);
const help = {
	subagents: [...subagents, ...ofBoth],
	toolkit: toolkit.filter((one) => !ofBoth.includes(one)),
};

test.each(["light", "dark"])("the help is drawn at all widths, with the %s theme", async (themeName) => {
	initTheme(themeName);
	const drawn = [40, 80, 120].map((width) => {
		const text = helpReport(width - 2, help).join("\n");
		const lines = renderReport({ data: { text } } as never, {} as never, theme)?.render(width) ?? [];
		for (const line of lines) expect(visibleWidth(line), line).toBe(width);
		const words = lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");
		return `${`--${width}`.padEnd(width, "-")}\n${words}\n`.replaceAll("\\", "/");
	});
	await expect(drawn.join("\n")).toMatchFileSnapshot("./snapshots/help.txt");
});
