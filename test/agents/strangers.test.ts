import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { discoverAgents } from "../../src/agents/discover.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import { useScratch } from "./scratch.ts";
import { DESCRIPTIONS, FIELDS, MODELS, NAMES, SHAPES, TOOLS } from "./strangers-files.ts";

/** Files as public collections have them, in all the ways that their authors found. */

const scratch = useScratch();

const file = (fields: string, name = "a"): string => `---\nname: ${name}\n${fields}\n---\n\nYou are an expert.\n`;

const FILES: [name: string, text: string][] = [
	...DESCRIPTIONS.map((fields, at): [string, string] => [`description-${at}`, file(fields)]),
	...TOOLS.map((tools, at): [string, string] => [`tools-${at}`, file(`description: x\ntools: ${tools}`)]),
	...MODELS.map((model, at): [string, string] => [`model-${at}`, file(`description: x\ntools: Read\nmodel: ${model}`)]),
	...FIELDS.map((field, at): [string, string] => [`field-${at}`, file(`description: x\ntools: Read, Bash\n${field}`)]),
	...NAMES.map((name, at): [string, string] => [`name-${at}`, file("description: d\ntools: Read", name)]),
	...SHAPES,
];

const parse = (name: string, text: string) => parseAgent(text, { file: `${name}.md`, source: "user" });

test("there are at least 150 files", () => {
	expect(FILES.length).toBeGreaterThanOrEqual(150);
});

describe.each(FILES)("%s", (name, text) => {
	test("is an agent or says why not, in sentences with a remedy", () => {
		const { agent, diagnostics } = parse(name, text);
		if (agent === undefined && /^\uFEFF?---[ \t]*\r?\n/.test(text)) expect(diagnostics).not.toEqual([]);
		for (const { message, remedy } of diagnostics) {
			expect(message).toMatch(/^[\p{Lu}\p{Ll}"$].*[.)"]$/su);
			expect(remedy).toMatch(/[.?]$/);
		}
	});

	test("grants no tool that it does not name whole", () => {
		const { agent } = parse(name, text);
		if (agent?.tools.kind !== "only") return;
		// What stands in brackets after a name are some of its uses.
		const whole = text.replace(/[A-Za-z]+\([^)]*\)/g, "").toLowerCase();
		for (const tool of ["bash", "edit", "write"].filter(
			(each) => agent.tools.kind === "only" && agent.tools.names.includes(each),
		))
			expect(whole).toContain(tool);
	});
});

const WITHHOLDS =
	/^(?:permission|sandbox|hooks|isolation: container|deny|allow:|allow_write|can_write|writable|offline|restrictions|read|ReadOnly|metadata)(?!Mode: acceptEdits)/;

test.each(FIELDS.filter((field) => WITHHOLDS.test(field)))("an agent with %j does not write", (field) => {
	const { agent } = parse("field", file(`description: x\ntools: Read, Bash\n${field}`));
	expect(agent?.readonly ?? true).toBe(true);
});

test("no file hides another one", () => {
	const { path } = scratch();
	const folder = path("home/agents");
	mkdirSync(folder, { recursive: true });
	for (const [name, text] of FILES) writeFileSync(`${folder}/${name}.md`, text);
	for (const name of ["0-first", "m-middle", "z-last"])
		writeFileSync(`${folder}/${name}.md`, file("description: d", name));
	const places = { cwd: path("home"), builtinDir: path("none"), userDir: folder, homeDir: path("home") };
	const found = discoverAgents({ ...places, includeProject: false }).agents.map(({ name }) => name);
	expect(found).toEqual(expect.arrayContaining(["0-first", "m-middle", "z-last", "explorer", "code_reviewer"]));
});
