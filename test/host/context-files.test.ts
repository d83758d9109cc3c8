import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { contextFiles } from "../../src/host/context-files.ts";

test("what cannot be read is passed over: links in a circle, links to nowhere, folders", () => {
	const root = mkdtempSync(join(tmpdir(), "pg-context-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	const [agentDir, project, work] = ["agent", "project", "project/work"].map((name) => join(root, name)) as [
		string,
		string,
		string,
	];
	for (const folder of [agentDir, work, join(agentDir, "TOOLS.md")]) mkdirSync(folder, { recursive: true });
	symlinkSync("AGENTS.md", join(project, "AGENTS.md"));
	symlinkSync("nowhere.md", join(project, "TOOLS.md"));
	writeFileSync(join(work, "AGENTS.md"), "Mind the gap.");
	expect(contextFiles(work, agentDir)).toEqual([{ path: join(work, "AGENTS.md"), content: "Mind the gap." }]);
});
