import {
	appendFileSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pathOutsideOfProjects } from "../../src/trees/git.ts";
import { longTest } from "../helpers/long-test.ts";
import { contentOf, repositoryIn, textsIn, useGround, userGit, write } from "./repos.ts";

const ground = useGround();

/** Staged, changed, deleted, renamed, new and ignored files. */
function dirtyRepository(): string {
	const main = repositoryIn(join(ground.folder(), "project"), {
		"same.txt": "same\n",
		"changed.txt": "before\n",
		"deleted.txt": "deleted\n",
		"old-name.txt": "a file that moves\n",
		"src/deep/file.ts": "export {}\n",
		".gitignore": "ignored/\n*.log\n",
	});
	write(main, {
		"changed.txt": "after\n",
		"new file.txt": "new\n",
		"staged.txt": "staged\n",
		"ignored/x": "x",
		"a.log": "log",
	});
	rmSync(join(main, "deleted.txt"));
	renameSync(join(main, "old-name.txt"), join(main, "new-name.txt"));
	userGit(main, "add", "staged.txt");
	return main;
}

describe("a tree has the checkout as it is", () => {
	test("with staged, changed, deleted, renamed and new files, without ignored ones, and the checkout is only read", async () => {
		const main = dirtyRepository();
		const before = contentOf(main);
		const { path, base } = await ground.tree(main);
		expect(textsIn(path)).toEqual({
			".gitignore": "ignored/\n*.log\n",
			"same.txt": "same\n",
			"changed.txt": "after\n",
			"new-name.txt": "a file that moves\n",
			"new file.txt": "new\n",
			"staged.txt": "staged\n",
			"src/deep/file.ts": "export {}\n",
		});
		expect(contentOf(main)).toEqual(before);
		expect(base).toEqual({
			commit: expect.stringMatching(/^[0-9a-f]{40}$/),
			head: userGit(main, "rev-parse", "HEAD").trim(),
			dirty: true,
		});
		expect(userGit(path, "status", "--porcelain")).toBe("");
		expect(userGit(path, "log", "--format=%s")).toBe("The working tree when the run began\none\n");
	});

	test("a clean one begins at HEAD itself", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		const head = userGit(main, "rev-parse", "HEAD").trim();
		expect((await ground.tree(main)).base).toEqual({ commit: head, head, dirty: false });
	});

	test("a change of the same size in the instant of the last `git add` is not missed", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "one\n" });
		const then = new Date(2020, 1, 1);
		// git also looks at a time that cannot be set, so it must all be within a second: one of several rounds is.
		for (const text of ["1st\n", "2nd\n", "3rd\n"]) {
			write(main, { a: "two\n" });
			utimesSync(join(main, "a"), then, then);
			userGit(main, "add", "a");
			write(main, { a: text });
			for (const file of ["a", ".git/index"]) utimesSync(join(main, file), then, then);
			expect(textsIn((await ground.tree(main)).path).a).toBe(text);
		}
	});

	test("names with spaces, quotes, line breaks and letters of all kinds", async () => {
		const main = repositoryIn(join(ground.folder(), "a \"b\"\n'c' d\\é"), {
			"t ab\t\"q\"\n'x'.txt": "one\n",
			"-rf": "dash\n",
		});
		write(main, { "neu \n ü [*]?.txt": "two\n", ":(top)x": "magic\n" });
		const { path, harvest } = await ground.tree(main);
		const texts = {
			"t ab\t\"q\"\n'x'.txt": "one\n",
			"-rf": "dash\n",
			"neu \n ü [*]?.txt": "two\n",
			":(top)x": "magic\n",
		};
		expect(textsIn(path)).toEqual(texts);
		write(path, { "neu \n ü [*]?.txt": "three\n", 'n"\n': "new\n" });
		expect((await harvest())?.files.map(({ path, status }) => [path, status])).toEqual([
			['n"\n', "A"],
			["neu \n ü [*]?.txt", "M"],
		]);
	});

	test("modes and links", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		writeFileSync(join(main, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
		symlinkSync("a", join(main, "link"));
		symlinkSync("/nowhere/at/all", join(main, "dangling"));
		const { path } = await ground.tree(main);
		expect(lstatSync(join(path, "run.sh")).mode & 0o111).toBe(0o111);
		expect([readlinkSync(join(path, "link")), readlinkSync(join(path, "dangling"))]).toEqual(["a", "/nowhere/at/all"]);
	});

	test("before the first commit, with staged and new files", async () => {
		const main = join(ground.folder(), "p");
		mkdirSync(main);
		userGit(main, "init", "-q");
		write(main, { staged: "s\n", "new": "n\n" });
		userGit(main, "add", "staged");
		const { path, base, harvest } = await ground.tree(main);
		expect(textsIn(path)).toEqual({ staged: "s\n", new: "n\n" });
		expect(base).toEqual({ commit: expect.any(String), dirty: true });
		appendFileSync(join(path, "new"), "more\n");
		expect((await harvest())?.files).toEqual([{ path: "new", status: "M", added: 1, removed: 0, mode: "100644" }]);
	});

	test("of a folder without git", async () => {
		const main = join(ground.folder(), "p");
		write(main, { a: "a\n", "b/c": "c\n", ".gitignore": "ignored\n", ignored: "x" });
		const before = contentOf(main);
		const { path, harvest } = await ground.tree(main);
		expect(textsIn(path)).toEqual({ a: "a\n", "b/c": "c\n", ".gitignore": "ignored\n" });
		expect(contentOf(main)).toEqual(before);
		write(path, { "b/d": "d\n" });
		expect((await harvest())?.files.map((file) => file.path)).toEqual(["b/d"]);
	});

	test("of a linked worktree, with what is staged there", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		const linked = join(ground.folder(), "linked");
		userGit(main, "worktree", "add", "-q", "-b", "other", linked);
		write(linked, { staged: "s\n" });
		userGit(linked, "add", "staged");
		write(main, { elsewhere: "x\n" });
		const before = [contentOf(main), contentOf(linked)];
		const { path } = await ground.tree(linked);
		expect(textsIn(path)).toEqual({ a: "a\n", staged: "s\n" });
		expect([contentOf(main), contentOf(linked)]).toEqual(before);
	});

	longTest("of a shallow clone, a repository of SHA-256, a split index and a sparse checkout", async () => {
		const origin = repositoryIn(join(ground.folder(), "o"), { a: "a\n" });
		write(origin, { a: "b\n" });
		userGit(origin, "commit", "-qam", "two");
		const shallow = join(ground.folder(), "shallow");
		userGit(origin, "clone", "-q", "--depth=1", `file://${origin}`, shallow);
		const sha256 = join(ground.folder(), "sha256");
		mkdirSync(sha256);
		userGit(sha256, "init", "-q", "--object-format=sha256");
		write(sha256, { a: "a\n" });
		userGit(sha256, "add", "-A");
		userGit(sha256, "commit", "-qm", "one");
		const split = repositoryIn(join(ground.folder(), "split"), { a: "a\n", b: "b\n" });
		userGit(split, "update-index", "--split-index");
		write(split, { c: "c\n" });
		userGit(split, "add", "c");
		const sparse = repositoryIn(join(ground.folder(), "sparse"), { "in/a": "a\n", "out/b": "b\n" });
		userGit(sparse, "sparse-checkout", "set", "in");
		for (const [main, texts] of [
			[shallow, { a: "b\n" }],
			[sha256, { a: "a\n" }],
			[split, { a: "a\n", b: "b\n", c: "c\n" }],
			[sparse, { "in/a": "a\n" }],
		] as const) {
			const { path, harvest } = await ground.tree(main);
			expect(textsIn(path)).toEqual(texts);
			write(path, { "in/new": "n\n" });
			userGit(path, "add", "-A");
			userGit(path, "commit", "-qm", "by the child");
			write(path, { "in/more": "m\n" });
			expect((await harvest())?.files.map((file) => `${file.status} ${file.path}`)).toEqual(["A in/more", "A in/new"]);
		}
	});

	test("files that pass through a filter are what the user sees, and no filter runs", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), {
			".gitattributes": "*.big filter=pointer\n",
			"x.big": "before\n",
		});
		const ran = join(ground.folder(), "ran");
		userGit(main, "config", "filter.pointer.clean", `sh -c 'touch "${ran}"; echo pointer'`);
		userGit(main, "config", "filter.pointer.smudge", `sh -c 'touch "${ran}"; echo whole'`);
		write(main, { "x.big": "the whole file\n" });
		userGit(main, "add", "-A");
		userGit(main, "commit", "-qm", "two");
		rmSync(ran);
		const { path, harvest } = await ground.tree(main);
		expect(textsIn(path)["x.big"]).toBe("the whole file\n");
		write(path, { "x.big": "another\n" });
		const changes = await harvest();
		expect(readFileSync(changes?.patch ?? "", "utf8")).toContain("-the whole file\n+another\n");
		expect(existsSync(ran)).toBe(false);
	});

	test("line ends are converted as the attributes say", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { ".gitattributes": "*.bat text eol=crlf\n" });
		write(main, { "x.bat": "one\r\ntwo\r\n" });
		userGit(main, "add", "-A");
		const { path, harvest } = await ground.tree(main);
		expect(textsIn(path)["x.bat"]).toBe("one\r\ntwo\r\n");
		write(path, { "x.bat": "one\r\n2\r\n" });
		expect((await harvest())?.files).toMatchObject([{ path: "x.bat", added: 1, removed: 1 }]);
	});
});

/** Puts a link into a repository in the place of a file. */
const linked =
	(name: string) =>
	(main: string, target: string): void => {
		const file = join(main, ".git", name);
		rmSync(file, { force: true });
		symlinkSync(target, file);
	};

test("git is never a program of a project", () => {
	const path = ["/p/node_modules/.bin", ".", "", "bin", "/usr/bin", "/opt/node_modules_of_mine"].join(":");
	expect(pathOutsideOfProjects(path, new Set())).toBe("/usr/bin:/opt/node_modules_of_mine");
});

describe("what is not the tree's business", () => {
	test("ignore rules of the user and of the repository hold, in the tree too", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		const rules = join(ground.folder(), "ignore");
		writeFileSync(rules, ".env\n!kept.tmp\n");
		userGit(main, "config", "core.excludesFile", rules);
		appendFileSync(join(main, ".git", "info", "exclude"), "*.tmp\n");
		write(main, { ".env": "SECRET=1\n", "x.tmp": "x", "kept.tmp": "x" });
		const { path, harvest } = await ground.tree(main);
		expect(textsIn(path)).toEqual({ a: "a\n" });
		write(path, { ".env": "x", "y.tmp": "y" });
		expect(await harvest()).toBeUndefined();
	});

	test("hidden paths are not copied, and folders are linked in place of a copy", async () => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n", ".gitignore": "node_modules/\n" });
		write(main, { "keys/secret": "s", "node_modules/lib/index.js": "x" });
		const { path, harvest } = await ground.tree(main, {
			hidden: [join(main, "keys")],
			link: ["node_modules", ".venv", "../up", "a"],
		});
		expect(
			Object.keys(contentOf(path, { withGit: false })).filter((name) => !name.startsWith("node_modules/")),
		).toEqual([".gitignore", "a", "node_modules"]);
		expect(readlinkSync(join(path, "node_modules"))).toBe(join(main, "node_modules"));
		expect(userGit(path, "status", "--porcelain")).toBe("");
		expect(await harvest()).toBeUndefined();
	});

	test.each<[string, (main: string, secret: string) => void]>([
		["core.excludesFile", (main, secret) => userGit(main, "config", "core.excludesFile", secret)],
		["core.attributesFile", (main, secret) => userGit(main, "config", "core.attributesFile", secret)],
		["info/exclude", linked("info/exclude")],
		["info/attributes", linked("info/attributes")],
		["shallow", linked("shallow")],
		["sharedindex", linked("sharedindex.0000000000000000000000000000000000000000")],
	])("a repository whose %s leads to a hidden file gets no tree", async (name, lead) => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		const keys = ground.folder();
		write(keys, { key: "secret\n" });
		lead(main, join(keys, "key"));
		await expect(ground.tree(main, { hidden: [keys] })).rejects.toThrow(/is hidden from subagents/);
		if (name === "shallow" || name === "sharedindex") return;
		lead(main, "/proc/self/environ");
		await expect(ground.tree(main)).rejects.toThrow(/is in \/proc. That is hidden/);
	});

	test("submodules and other repositories inside are left out, with a warning", async () => {
		const inner = repositoryIn(join(ground.folder(), "inner"), { x: "x\n" });
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		userGit(main, "submodule", "--quiet", "add", inner, "sub");
		userGit(main, "commit", "-qm", "sub");
		repositoryIn(join(main, "with commit"), { y: "y\n" });
		mkdirSync(join(main, "fresh"));
		userGit(join(main, "fresh"), "init", "-q");
		const before = contentOf(main);
		const { path, warnings, harvest } = await ground.tree(main);
		expect(Object.keys(textsIn(path))).toEqual([".gitmodules", "a"]);
		expect(warnings).toEqual([
			"The tree does not have the contents of submodules, and changes there do not come home: sub",
			"The tree does not have folders that are repositories of their own: fresh, with commit",
		]);
		expect(contentOf(main)).toEqual(before);
		expect(await harvest()).toBeUndefined();
		await expect(ground.tree(main, { submodules: "refuse" })).rejects.toMatchObject({ reason: "no_snapshot" });
	});
});
