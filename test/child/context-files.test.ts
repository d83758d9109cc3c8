import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadProjectContextFiles } from "@earendil-works/pi-coding-agent";
import { describe, expect, onTestFinished, test } from "vitest";
import { contextFiles, contextFilesSince } from "../../src/child/context-files.ts";

function scratch(files: Readonly<Record<string, string>> = {}): string {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pg-context-")));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	for (const [name, text] of Object.entries({ "agent/x": "", "project/work/x": "", ...files })) write(root, name, text);
	return root;
}

function write(root: string, name: string, text: string): void {
	mkdirSync(dirname(join(root, name)), { recursive: true });
	writeFileSync(join(root, name), text);
}

const read = (root: string, cwd = "project/work") => {
	const warnings: string[] = [];
	const files = contextFiles({ cwd: join(root, cwd), agentDir: join(root, "agent"), hidden: [] }, (warning) =>
		warnings.push(warning),
	);
	return { files, warnings };
};

test("what cannot be read is passed over: links in a circle, links to nowhere, folders", () => {
	const root = scratch({ "project/work/AGENTS.md": "Mind the gap." });
	mkdirSync(join(root, "agent", "TOOLS.md"));
	symlinkSync("AGENTS.md", join(root, "project", "AGENTS.md"));
	symlinkSync("nowhere.md", join(root, "project", "TOOLS.md"));
	expect(read(root)).toEqual({
		files: [{ path: join(root, "project/work/AGENTS.md"), content: "Mind the gap." }],
		warnings: [],
	});
});

test("a child that waited in the queue gets the files that were read meanwhile, with their warnings; a later one reads them again", () => {
	const root = scratch({ "agent/AGENTS.md": "1", "project/AGENTS.md": "x".repeat(300 * 1024) });
	const readSince = (askedAt: number) => {
		const warnings: string[] = [];
		const place = { cwd: join(root, "project/work"), agentDir: join(root, "agent"), hidden: [] };
		const files = contextFilesSince(askedAt, place, (warning) => warnings.push(warning));
		return { content: files.map(({ content }) => content), warnings: warnings.length };
	};
	const askedAt = performance.now();
	expect(readSince(askedAt)).toEqual({ content: ["1"], warnings: 1 });
	write(root, "agent/AGENTS.md", "2");
	expect(readSince(askedAt)).toEqual({ content: ["1"], warnings: 1 });
	expect(readSince(performance.now())).toEqual({ content: ["2"], warnings: 1 });
});

test("TOOLS.md is read besides, after the instructions of its folder", () => {
	const root = scratch({
		"agent/TOOLS.md": "1",
		"project/CLAUDE.md": "2",
		"project/TOOLS.md": "3",
		"project/SOUL.md": "",
	});
	expect(read(root).files.map(({ content }) => content)).toEqual(["1", "2", "3"]);
});

describe("instructions are those that pi itself reads:", () => {
	const names = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
	const LAYOUTS: Record<string, Readonly<Record<string, string>>> = {
		...Object.fromEntries(
			names.map((name, index) => [
				`${name} and those after it in each folder`,
				Object.fromEntries(
					["agent", ".", "project", "project/work"].flatMap((folder) =>
						names.slice(index).map((each) => [join(folder, each), `${folder} ${each}`]),
					),
				),
			]),
		),
		"a byte order mark": { "project/AGENTS.md": "\uFEFFMarked." },
		"an empty file": { "project/AGENTS.override.md": "", "project/AGENTS.md": "Not read." },
		"a folder in place of a file": { "project/AGENTS.md/x": "", "project/CLAUDE.md": "Read." },
	};
	const ofPi = (root: string, cwd = "project/work") =>
		loadProjectContextFiles({ cwd: join(root, cwd), agentDir: join(root, "agent") });

	test.each(Object.keys(LAYOUTS))("%s", (layout) => {
		const root = scratch(LAYOUTS[layout]);
		expect(read(root).files).toEqual(ofPi(root));
		expect(read(root).files).not.toEqual([]);
	});

	test.each(["AGENTS.md", "CLAUDE.md"])("in a worktree inside of its main checkout that has its own %s", (name) => {
		const root = scratch({ "AGENTS.md": "Above.", "project/AGENTS.md": "Main.", "project/CLAUDE.md": "Not read." });
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
				cwd: join(root, "project"),
			});
		git("init", "--quiet");
		git("commit", "--quiet", "--allow-empty", "-m", "one");
		git("worktree", "add", "--quiet", "trees/one");
		write(root, `project/trees/one/${name}`, "Of the tree.");
		write(root, "project/trees/one/deep/x", "");
		for (const cwd of ["project/trees/one", "project/trees/one/deep", "project"]) {
			expect(read(root, cwd).files).toEqual(ofPi(root, cwd));
		}
		const contents = read(root, "project/trees/one").files.map(({ content }) => content);
		expect(contents).toEqual(name === "AGENTS.md" ? ["Above.", "Of the tree."] : ["Above.", "Main.", "Of the tree."]);
	});
});
