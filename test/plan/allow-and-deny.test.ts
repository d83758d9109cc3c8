import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { GENERAL } from "../../src/plan/general.ts";
import { effectiveTools } from "../../src/plan/tools.ts";

const { config: defaults } = loadConfig({ userFile: "/nowhere/pi-geon.json" });

/** What a child without a role gets of these tools. */
function granted({ extra = [], ...lists }: { allow?: string[]; deny?: string[]; extra?: string[] }): string[] {
	const config = { ...defaults, tools: { subagents: { tools: { allow: null, deny: [], ...lists } } } };
	const active = ["read", "bash", "edit", "find", "fetch_content", ...extra];
	const known = active.map((name) => ({ name }));
	const tools = effectiveTools({ agent: GENERAL, config, active, known, inTree: true });
	return "tools" in tools ? tools.tools : [];
}

test("tools are forbidden and allowed by the names that agent files may use for them", () => {
	expect(granted({ deny: ["Bash", "Read", "Glob", "WebFetch"] })).toEqual(["edit"]);
	expect(granted({ allow: ["Bash", "Glob"] })).toEqual(["bash", "find"]);
	expect(granted({ allow: ["Bash", "Glob"], deny: ["bash"] })).toEqual(["find"]);
});

test("a tool of an extension goes by the name it has, whatever that looks like", () => {
	const extra = ["mcp__github", "mcp__github_search", "Bash", "WebFetch"];
	expect(granted({ extra, deny: extra })).toEqual(["read", "edit", "find"]);
	expect(granted({ extra, allow: ["mcp__github", "Bash"] })).toEqual(["bash", "mcp__github", "Bash"]);
});

test("some uses of a tool: forbidden, it is forbidden; allowed, it is not allowed", () => {
	expect(granted({ deny: ["Bash(git push:*)"] })).not.toContain("bash");
	expect(granted({ allow: ["Bash(git log:*)", "read"] })).toEqual(["read"]);
});
