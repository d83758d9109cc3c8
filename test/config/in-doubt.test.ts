import { expect, test } from "vitest";
import { inDoubt } from "../../src/config/in-doubt.ts";
import { loadConfig } from "../../src/config/load.ts";
import { useScratch } from "../agents/scratch.ts";

const scratch = useScratch();

/** The keys of what is in doubt; undefined stands for the whole file. */
function doubts(text: string, keys: string[], project?: string): (string | undefined)[] {
	const files = scratch();
	const userFile = files.write("user.json", text);
	const projectFile = project === undefined ? {} : { projectFile: files.write("project.json", project) };
	return inDoubt(loadConfig({ userFile, ...projectFile }).diagnostics, keys).map(({ key }) => key);
}

const DENY = "tools.subagents.tools.deny";

test.each([
	["a file that does not parse", "{ retentionDays: 90", "retentionDays", [undefined]],
	["a wrong value", "{ retentionDays: 0 }", "retentionDays", ["retentionDays"]],
	["a wrong section around it", "{ tools: { subagents: [] } }", DENY, ["tools.subagents"]],
	["a wrong item in it", `{ tools: { subagents: { tools: { deny: ["bash", 7] } } } }`, DENY, [`${DENY}.1`]],
	["a misspelt key", "{ retentionDasy: 90 }", "retentionDays", ["retentionDasy"]],
	["a misspelt section", "{ tools: { subagent: { tools: { deny: [] } } } }", DENY, ["tools.subagent"]],
	["a key in another section", "{ subagents: { retentionDays: 90 } }", "retentionDays", ["subagents.retentionDays"]],
	["a wrong value of another key", "{ ui: { widget: 1 }, retentionDays: 90 }", "retentionDays", []],
	["an unknown key that is like nothing of it", "{ banana: 1 }", DENY, []],
])("%s", (_what, text, key, expected) => {
	expect(doubts(text, [key])).toEqual(expected);
});

test("what a project asked for and did not get leaves no doubt", () => {
	expect(
		doubts("{}", ["subagents.enabled", DENY], "{ web: { enabled: true }, subagents: { allowWrite: true } }"),
	).toEqual([]);
});
