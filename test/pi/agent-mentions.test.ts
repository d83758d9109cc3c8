import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { mentionLine, withAgents } from "../../src/pi/agent-mentions.ts";

const agents = () => [
	{ name: "explorer", description: "Finds\nfiles." },
	{ name: "reviewer", description: "Reviews." },
];

/** pi's own provider, which finds these files behind `@`. */
const piWith = (...files: string[]): AutocompleteProvider => ({
	async getSuggestions(lines, cursorLine, cursorCol) {
		const [prefix] = /@\S*$/.exec((lines[cursorLine] ?? "").slice(0, cursorCol)) ?? [];
		const items = files.map((name): AutocompleteItem => ({ value: `@${name}`, label: name }));
		return prefix === undefined || items.length === 0 ? null : { prefix, items };
	},
	applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
});

async function offeredAt(text: string, ...files: string[]): Promise<string[] | undefined> {
	const { signal } = new AbortController();
	const found = await withAgents(piWith(...files), agents).getSuggestions([text], 0, text.length, { signal });
	return found?.items.map(({ label }) => label);
}

test("after a bare @ the agents come after all files", async () => {
	expect(await offeredAt("look @", "a.ts", "b.ts")).toEqual(["a.ts", "b.ts", "agent:explorer", "agent:reviewer"]);
});

test("agents that begin with what is typed come after the first file, which Enter still chooses", async () => {
	expect(await offeredAt("@exp", "export.ts", "src/exp.ts")).toEqual(["export.ts", "agent:explorer", "src/exp.ts"]);
	expect(await offeredAt("@agent:r")).toEqual(["agent:reviewer"]);
});

test("nothing is added where no agent is meant, or its name is complete", async () => {
	expect(await offeredAt("@src/exp", "src/exp.ts")).toEqual(["src/exp.ts"]);
	expect(await offeredAt("me@exp")).toBeUndefined();
	expect(await offeredAt("explorer")).toBeUndefined();
	expect(await offeredAt("@agent:explorer")).toBeUndefined();
});

test("the model is told of the agents that a prompt names, and of no others", () => {
	expect(mentionLine("Let @agent:explorer look.", agents)).toBe(
		'The user asks you to delegate this with the tool subagent, agent "explorer".',
	);
	expect(mentionLine("@agent:explorer and then @agent:reviewer.", agents)).toContain('"explorer" and "reviewer"');
	for (const prompt of ["@agent:nobody", "me@agent:explorer", "@explorer", ""]) {
		expect(mentionLine(prompt, agents)).toBeUndefined();
	}
});
