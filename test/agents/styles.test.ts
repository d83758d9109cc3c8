import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAgent } from "../../src/agents/parse.ts";
import { effectiveTools } from "../../src/plan/tools.ts";
import { formatDiagnostic } from "../../src/run/diagnostic.ts";
import { isRefusal } from "../../src/run/errors.ts";
import { configOf, parentOf } from "../plan/launching.ts";

const folder = join(import.meta.dirname, "styles");
const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
const parentTools = ["web_search", "fetch_content", "get_search_content", "convert_content"];

/** What becomes of a file: how it is read, and what a child of it gets with the default configuration. */
function fateOf(name: string) {
	const text = readFileSync(join(folder, name), "utf8");
	const { agent, diagnostics } = parseAgent(text, { file: name, source: "user" });
	const said = { diagnostics: diagnostics.map(formatDiagnostic) };
	if (!agent) return { outcome: diagnostics.length === 0 ? "passed over" : "refused", ...said };
	const { prompt: _, digest: __, file: ___, source: ____, ...read } = agent;
	const known = [
		...parentOf.knownTools,
		...parentTools.map((tool) => ({ name: tool, extension: "/extensions/web.js" })),
	];
	const granted = effectiveTools({
		agent,
		config: configOf({}),
		active: parentOf.activeTools,
		known,
		inTree: agent.isolation === "worktree",
	});
	const {
		extensions: ______,
		extensionOf: _______,
		...effective
	} = isRefusal(granted) ? { refused: granted.error.message, extensions: [], extensionOf: {} } : granted;
	return { outcome: "accepted", ...said, read, effective };
}

test("there are at least 70 files, in the styles that people use", () => {
	expect(files.length).toBeGreaterThanOrEqual(70);
});

test.each(files)("%s is read as the contract says", async (name) => {
	const fate = `${JSON.stringify(fateOf(name), null, "\t")}\n`;
	await expect(fate).toMatchFileSnapshot(join(folder, "read", name.replace(/md$/, "txt")));
});
