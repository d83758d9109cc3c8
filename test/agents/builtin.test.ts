import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtinAgents } from "../../src/agents/builtin.ts";
import { repositoryRoot, stagedPackage } from "../helpers/repository.ts";

test("what was built has the built-in agents as their files say", () => {
	const { agents, diagnostics } = builtinAgents(join(repositoryRoot, "agents"));
	expect(diagnostics).toEqual([]);
	expect(agents).toHaveLength(6);
	const chunks = join(stagedPackage(), "dist", "chunks");
	const code = readdirSync(chunks)
		.map((name) => readFileSync(join(chunks, name), "utf8"))
		.join("\n");
	// Of the whole text of its file.
	for (const { name, digest } of agents) expect(code, name).toContain(digest);
});
