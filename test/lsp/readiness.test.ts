import { expect, test } from "vitest";
import { fakeLab } from "./fake-lab.ts";
import { useLab } from "./lab.ts";

/** A server that has not read the project answers anyway. */

const openLab = useLab();
const REFERENCES = { action: "references", file: "a.fake", line: 1, column: 1 } as const;
const ALL = ["a.fake:1:1", "a.fake:1:3", "a.fake:1:5"];
const places = (text: string) => text.match(/^a\.fake:\S+/gm) ?? [];

test.each(["reads", "status"])("a server that tells what it reads (%s) is waited for, and shown", async (how) => {
	const lab = fakeLab(openLab, how);
	const shown: string[] = [];
	const onProgress = (text: string) => {
		shown.push(text);
		if (/40 %|reading the project/.test(text)) lab.letItFinish();
	};
	const { text } = await lab.lsp(REFERENCES, { onProgress });
	expect(places(text)).toEqual(ALL);
	expect(shown.at(-1)).toBe(`fake in .: ${how === "reads" ? "Reading a.fake 40 %" : "reading the project"}`);
	expect(lab.log().filter((line) => line === "textDocument/references")).toHaveLength(1);
});

test("one that reads for too long is asked all the same, and the answer says so", async () => {
	const lab = fakeLab(openLab, "never-reads", { limits: { readMs: 100 } });
	const { text, details } = await lab.lsp(REFERENCES);
	expect(places(text)).toEqual(ALL.slice(0, 1));
	const note = "fake is still reading . (Reading a.fake 40 %): this answer may be incomplete. Ask again later.";
	expect(text).toContain(`\nNote: ${note}`);
	expect(details).toMatchObject({ notes: expect.arrayContaining([note]) });
});

test("an abort ends the wait", async () => {
	const lab = fakeLab(openLab, "never-reads");
	const controller = new AbortController();
	const onProgress = () => controller.abort(new Error("stopped"));
	await expect(lab.lsp(REFERENCES, { signal: controller.signal, onProgress })).rejects.toThrow();
});

test("what a server says is wrong with the project is in the answer", async () => {
	const lab = fakeLab(openLab, "status");
	lab.letItFinish();
	const { text } = await lab.lsp(REFERENCES);
	expect(text).toMatch(/\nNote: fake reports: No toolchain\.$/);
});

test.each([
	["silent-empty", "knows nothing at first"],
	["silent-growing", "knows a part at first"],
])("a fresh server that tells nothing (%s) is asked until it says the same twice: it %s", async (how) => {
	const lab = fakeLab(openLab, how);
	expect(places((await lab.lsp(REFERENCES)).text)).toEqual(ALL);
	const asked = () => lab.log().filter((line) => line === "textDocument/references").length;
	const before = asked();
	await lab.lsp(REFERENCES);
	expect(asked()).toBe(before + 1);
});

test("one that never says the same twice is not believed", async () => {
	const { text } = await fakeLab(openLab, "silent-restless").lsp(REFERENCES);
	expect(text).toContain("Note: fake in . answers differently each time: this answer may be incomplete.");
});

test("every file that mentions the name is read before the question is asked", async () => {
	const files = { "a.fake": "one two\n", "b.fake": "one\n", "c.fake": "one\n", "d.fake": "two\n" };
	const lab = fakeLab(openLab, "reads", { files });
	lab.letItFinish();
	await lab.lsp(REFERENCES);
	const log = lab.log();
	const before = log.slice(0, log.indexOf("textDocument/references"));
	expect(before.filter((line) => line === "textDocument/didOpen")).toHaveLength(3);
	expect(before.filter((line) => line === "textDocument/documentSymbol")).toHaveLength(3);
});
