import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { withProgramsInRing } from "../../src/sandbox/programs-in-ring.ts";
import { findCheckout } from "../../src/trees/checkout.ts";
import { objectsOf } from "../../src/trees/git-folder.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { type RunProgram, runPlainly } from "../../src/trees/program.ts";
import { receiveBundle } from "../../src/trees/receive.ts";
import { removeTreeFolder } from "../../src/trees/remove.ts";
import { contentOf, repositoryIn, useGround, userGit, write } from "./repos.ts";

const ground = useGround();

const project = (
	files: Record<string, string> = { a: "1\n2\n3\n", "dir/b": "b\n", old: "some lines\nof a file\nthat moves\n" },
) => repositoryIn(join(ground.folder(), "project"), files);

const summary = (changes: { files: { status: string; path: string }[] } | undefined) =>
	changes?.files.map(({ status, path }) => `${status} ${path}`);

describe("what a child changed comes home", () => {
	test("as files with counts, a patch, and a bundle with its commits", async () => {
		const main = project();
		const before = contentOf(main);
		const { path, base, harvest } = await ground.tree(main);
		write(path, { a: "1\nzwei\n3\n", "new/c": "c\n" });
		userGit(path, "add", "-A");
		userGit(path, "commit", "-qm", "A commit of the child");
		userGit(path, "mv", "old", "moved");
		rmSync(join(path, "dir/b"));
		writeFileSync(join(path, "binary"), Buffer.from([0, 1, 2, 255]));
		const changes = await harvest();
		expect(changes?.files).toEqual([
			{ path: "a", status: "M", added: 1, removed: 1, mode: "100644" },
			{ path: "binary", status: "A", added: 0, removed: 0, binary: true, mode: "100644" },
			{ path: "dir/b", status: "D", added: 0, removed: 1 },
			{ path: "moved", from: "old", status: "R", added: 0, removed: 0, mode: "100644" },
			{ path: "new/c", status: "A", added: 1, removed: 0, mode: "100644" },
		]);
		expect(readFileSync(changes?.patch ?? "", "utf8")).toContain("-2\n+zwei\n");
		const clone = join(ground.folder(), "clone");
		userGit(main, "clone", "-q", main, clone);
		userGit(clone, "fetch", "-q", changes?.bundle ?? "", "refs/heads/pi-geon:theirs");
		expect(userGit(clone, "log", "--format=%s", `${base.commit}..theirs`)).toBe("work\nA commit of the child\n");
		expect(contentOf(main)).toEqual(before);
	});

	test("nothing is nothing, also where commits take each other back", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		write(path, { a: "other\n" });
		userGit(path, "commit", "-qam", "there");
		write(path, { a: "1\n2\n3\n" });
		userGit(path, "commit", "-qam", "and back");
		expect(await harvest()).toBeUndefined();
	});

	test.each<[string, (path: string) => void]>([
		["removed", (path) => rmSync(join(path, ".git"), { recursive: true })],
		[
			"on another branch without a common commit",
			(path) => {
				userGit(path, "checkout", "-q", "--orphan", "elsewhere");
				userGit(path, "commit", "-qm", "orphan");
			},
		],
		[
			"with a commit whose objects are gone",
			(path) => {
				write(path, { a: "in between\n" });
				userGit(path, "commit", "-qam", "lost");
				rmSync(join(path, ".git", "objects"), { recursive: true });
				mkdirSync(join(path, ".git", "objects"));
			},
		],
		[
			"with an index and rules that hide everything",
			(path) => {
				writeFileSync(join(path, ".git", "info", "exclude"), "*\n");
				userGit(path, "update-index", "--assume-unchanged", "a");
			},
		],
	])("whatever became of its repository: %s", async (_what, breakIt) => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		breakIt(path);
		write(path, { a: "mine\n", c: "c\n" });
		expect(summary(await harvest())).toEqual(["M a", "A c"]);
	});

	test("files of repositories that it made inside the tree", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		repositoryIn(join(path, "made"), { x: "x\n" });
		repositoryIn(join(path, "made", "deeper"), { y: "y\n" });
		mkdirSync(join(path, "fresh"));
		userGit(join(path, "fresh"), "init", "-q");
		write(path, { "fresh/z": "z\n" });
		expect(summary(await harvest())).toEqual(["A fresh/z", "A made/deeper/y", "A made/x"]);
	});

	test("hundreds of repositories, and one whose name is not UTF-8, with a few programs", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		for (let index = 0; index < 300; index++) {
			mkdirSync(join(path, `made-${index}`, ".git", "refs"), { recursive: true });
			mkdirSync(join(path, `made-${index}`, ".git", "objects"));
			write(path, { [`made-${index}/.git/HEAD`]: "ref: refs/heads/main\n", [`made-${index}/x`]: "x\n" });
		}
		execFileSync("bash", ["-c", "git init -q $'odd-\\xff' && echo y > $'odd-\\xff/y'"], { cwd: path });
		let programs = 0;
		const changes = await harvest((command, options) => {
			programs++;
			return runPlainly(command, options);
		});
		expect(changes?.files).toHaveLength(301);
		expect(programs).toBeLessThan(30);
	});

	test("with warnings about links, programs, and files that run by themselves", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		symlinkSync("/etc/passwd", join(path, "link"));
		writeFileSync(join(path, "run.sh"), "#!/bin/sh\n");
		chmodSync(join(path, "run.sh"), 0o755);
		write(path, { ".github/workflows/ci.yml": "on: push\n", "package.json": "{}\n" });
		expect((await harvest())?.warnings).toEqual([
			"Symbolic links: link",
			"Executable files: run.sh",
			"Files that programs run or obey on their own: .github/workflows/ci.yml, package.json",
		]);
	});

	test("too many or too large ones do not, and the tree stays", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		write(path, { sparse: "" });
		truncateSync(join(path, "sparse"), 1025 * 1024 ** 2);
		await expect(harvest()).rejects.toThrow(/more than 1073741824 bytes/);
		expect(existsSync(join(path, "sparse"))).toBe(true);
		const odd = Buffer.concat([Buffer.from(join(path, "odd-")), Buffer.of(0xff)]);
		renameSync(join(path, "sparse"), odd);
		await expect(harvest()).rejects.toThrow(/more than 1073741824 bytes/);
	});
});

describe("whatever a child leaves in its tree", () => {
	/** As a host does it: with the rights of the user, and of nobody else. */
	const inRealRing = async <T>(main: string, folder: string, work: (inRing: RunProgram) => Promise<T>) => {
		const readable = objectsOf(await findCheckout(main));
		return withProgramsInRing({ scratch: join(ground.folder(), "scratch"), hidden: [] }, (inRing) =>
			work(inRing(folder, readable)),
		);
	};

	test("files and folders closed to itself, pipes, links in the place of submodules and odd names lose nothing", async () => {
		const other = repositoryIn(join(ground.folder(), "other"), { x: "x\n" });
		const main = project();
		userGit(main, "submodule", "--quiet", "add", other, "sub");
		userGit(main, "commit", "-qm", "sub");
		const [before, otherBefore] = [contentOf(main), contentOf(other)];
		const { path, folder, harvest } = await ground.tree(main);
		write(path, { "closed/x": "x\n", shut: "s\n", "dir/b": "changed\n", suid: "s\n" });
		write(path, { 'a\nb/c\td"e': "odd\n", "--output=x": "o\n", ":(top)x": "t\n" });
		rmSync(join(path, "old"));
		execFileSync("mkfifo", [join(path, "old"), join(path, "pipe")]);
		rmSync(join(path, "sub"), { recursive: true });
		symlinkSync(other, join(path, "sub"));
		for (const [name, mode] of [
			...["closed", "dir", "shut", "a\nb"].map((each) => [each, 0] as const),
			["suid", 0o6755],
		] as const)
			chmodSync(join(path, name), mode);
		chmodSync(path, 0);
		const changes = await inRealRing(main, folder, harvest);
		expect(summary(changes)).toEqual([
			...["A --output=x", "A :(top)x", 'A a\nb/c\td"e', "A closed/x", "M dir/b", "D old", "A shut", "T sub", "A suid"],
		]);
		expect(changes?.files.find(({ path: name }) => name === "suid")?.mode).toBe("100755");
		expect([contentOf(main), contentOf(other)]).toEqual([before, otherBefore]);
	});

	test("folders too deep for any path are not lost silently, and can be removed", async () => {
		const main = project();
		const { path, folder, harvest } = await ground.tree(main);
		const deep = "import os\nfor _ in range(60):\n os.mkdir('d' * 100)\n os.chdir('d' * 100)\nopen('f', 'w').close()";
		execFileSync("python3", ["-c", deep], { cwd: path });
		await expect(inRealRing(main, folder, harvest)).rejects.toThrow(
			/cannot look at all of the tree: its path is too long: ddd/,
		);
		await removeTreeFolder(folder, dirname(folder));
		expect(existsSync(folder)).toBe(false);
	});

	test.each<[string, (path: string, main: string) => void]>([
		[
			"is a file that names the user's",
			(path, main) => {
				rmSync(join(path, ".git"), { recursive: true });
				writeFileSync(join(path, ".git"), `gitdir: ${main}/.git\n`);
			},
		],
		[
			"is a link to the user's",
			(path, main) => {
				rmSync(join(path, ".git"), { recursive: true });
				symlinkSync(join(main, ".git"), join(path, ".git"));
			},
		],
		["works in the user's checkout", (path, main) => void userGit(path, "config", "core.worktree", main)],
		[
			"borrows from elsewhere, and is on a branch that looks like an option",
			(path, main) => {
				const branch = "refs/heads/--upload-pack=touch";
				userGit(path, "update-ref", branch, "HEAD");
				writeFileSync(join(path, ".git", "HEAD"), `ref: ${branch}\n`);
				userGit(path, "commit", "-q", "--allow-empty", "-m", "one more");
				writeFileSync(join(path, ".git", "objects", "info", "alternates"), `${main}/.git/objects\n/nowhere\n`);
			},
		],
		[
			"replaces commits, and holds a submodule that never was",
			(path) => {
				const other = userGit(path, "commit-tree", "-m", "another history", "HEAD^{tree}").trim();
				userGit(path, "update-index", "--add", "--cacheinfo", `160000,${"12".repeat(20)},never`);
				userGit(path, "commit", "-qm", "a submodule");
				userGit(path, "replace", "HEAD", other);
			},
		],
	])("its repository %s: the files come home, and the user's repository stays as it is", async (_what, trick) => {
		const main = project();
		const before = contentOf(main);
		const { path, harvest } = await ground.tree(main);
		trick(path, main);
		write(path, { c: "c\n" });
		expect(summary(await harvest())).toEqual(["A c"]);
		expect(contentOf(main)).toEqual(before);
	});

	test.each<Record<string, string>>([
		{ ".GIT/config": "x\n" },
		{ ".gitattributes": "* working-tree-encoding=nonsense\n" },
	])("what git refuses to store is not harvested, and stays: %o", async (files) => {
		const { path, harvest } = await ground.tree(project());
		write(path, { c: "c\n", ...files });
		await expect(harvest()).rejects.toThrow(/git add failed .*(invalid path|failed to encode)/);
		expect(existsSync(join(path, "c"))).toBe(true);
	});
});

describe("a hostile tree", () => {
	/** Runs in the ring in a real run; here whatever it starts leaves a mark, and must not be started outside of it. */
	const hostile = (path: string, mark: string) => {
		const program = join(path, "evil.sh");
		writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 });
		for (const [name, value] of [
			["core.fsmonitor", program],
			["core.hooksPath", join(path, "hooks")],
			["filter.evil.clean", program],
			["filter.evil.smudge", program],
			["filter.evil.process", program],
			["filter.evil.required", "true"],
			["diff.external", program],
			["diff.evil.textconv", program],
			["gpg.program", program],
			["commit.gpgSign", "true"],
			["core.sshCommand", program],
			["core.pager", program],
			["core.editor", program],
			["uploadpack.packObjectsHook", program],
		]) {
			userGit(path, "config", name ?? "", value ?? "");
		}
		write(path, { ".gitattributes": "* filter=evil diff=evil\n", a: "changed\n" });
		mkdirSync(join(path, "hooks"));
		for (const hook of ["pre-commit", "post-commit", "reference-transaction", "post-index-change", "post-checkout"]) {
			writeFileSync(join(path, "hooks", hook), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
		}
	};

	test("file monitors, hooks, filters and signatures that its configuration names are not started", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		const mark = join(ground.folder(), "mark");
		hostile(path, mark);
		// It fails, because the filter does not speak as one: too late.
		expect(() => userGit(path, "add", "-A")).toThrow();
		expect(existsSync(mark), "a plain git in there starts them").toBe(true);
		rmSync(mark);
		expect(summary(await harvest())).toContain("M a");
		expect(existsSync(mark)).toBe(false);
	});

	test("what looks into it runs inside the ring, and starts nothing of a submodule's either", async () => {
		const inner = repositoryIn(join(ground.folder(), "inner"), { x: "x\n" });
		const main = project();
		userGit(main, "submodule", "--quiet", "add", inner, "sub");
		userGit(main, "commit", "-qm", "sub");
		const { path, harvest } = await ground.tree(main);
		const mark = join(ground.folder(), "mark");
		userGit(path, "clone", "-q", inner, "sub");
		write(join(path, "sub"), { y: "y\n" });
		hostile(join(path, "sub"), mark);
		write(path, { a: "changed\n" });
		const ringed: string[] = [];
		const changes = await harvest((command, options) => {
			ringed.push(command.find((word) => /^(rm|add|ls-files|write-tree|commit-tree|bundle)$/.test(word)) ?? "");
			return runPlainly(command, options);
		});
		expect(summary(changes)).toEqual(["M a"]);
		expect(existsSync(mark)).toBe(false);
		expect(new Set(ringed)).toEqual(new Set(["rm", "add", "ls-files", "write-tree", "commit-tree", "bundle", ""]));
	});

	test("links to elsewhere come home as links, and nothing behind them is read", async () => {
		const main = project();
		const secret = join(ground.folder(), "secret");
		write(secret, { key: "the key\n" });
		const { path, harvest } = await ground.tree(main);
		symlinkSync(secret, join(path, "linked"));
		rmSync(join(path, "dir"), { recursive: true });
		symlinkSync(secret, join(path, "dir"));
		const changes = await harvest();
		expect(summary(changes)).toEqual(["A dir", "D dir/b", "A linked"]);
		expect(readFileSync(changes?.patch ?? "", "utf8")).not.toContain("the key");
	});

	test.each<[string, (file: string) => void, RegExp]>([
		["a link", (file) => symlinkSync("/etc/passwd", file), /ELOOP/],
		["a pipe", (file) => execFileSync("mkfifo", [file]), /is not a file/],
		["no bundle", (file) => writeFileSync(file, "hello"), /is not a bundle/],
		["too large", (file) => writeFileSync(file, Buffer.alloc(2 * 1024 ** 2)), /more than the 1048576 allowed/],
	])("in place of the bundle %s is refused", async (_what, put, says) => {
		const main = project();
		const folder = ground.folder();
		const { base } = await ground.tree(main);
		put(join(folder, "packed"));
		const files = { patch: join(folder, "p"), bundle: join(folder, "b"), scratch: join(folder, "s") };
		const order = {
			packed: join(folder, "packed"),
			checkout: await findCheckout(main),
			base,
			...files,
			maxBytes: 1024 ** 2,
		};
		await expect(receiveBundle(order)).rejects.toThrow(says);
		expect(Object.values(files).filter((file) => existsSync(file))).toEqual([]);
	});

	test("a bundle that does not begin at the base, or holds paths that no checkout may have, is refused", async () => {
		const main = project();
		const { base } = await ground.tree(main);
		const receive = async (packed: string) => {
			const folder = ground.folder();
			const files = { patch: join(folder, "p"), bundle: join(folder, "b"), scratch: join(folder, "s") };
			return receiveBundle({
				packed,
				checkout: await findCheckout(main),
				base,
				...files,
				maxBytes: TREE_LIMITS.maxBytes,
			});
		};
		const other = project({ z: "z\n" });
		userGit(other, "branch", "pi-geon");
		userGit(other, "bundle", "create", "-q", "x.bundle", "refs/heads/pi-geon");
		await expect(receive(join(other, "x.bundle"))).rejects.toThrow(/merge-base failed/);

		const evil = join(ground.folder(), "evil");
		userGit(main, "clone", "-q", main, evil);
		const blob = userGit(evil, "hash-object", "-w", "a").trim();
		// Also those that other file systems take for the same, and names that are whole paths.
		const others = [".git ", ".git.", "git~1", ".g\u200cit", ".git::$INDEX_ALLOCATION", ".git\\x", "a/b", "../b"];
		for (const name of [".git", "..", ".GIT", ".", ...others]) {
			const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
			const tree = execFileSync("git", ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], {
				cwd: evil,
				input: raw,
			})
				.toString()
				.trim();
			const commit = userGit(evil, "commit-tree", tree, "-p", "HEAD", "-m", "evil").trim();
			userGit(evil, "update-ref", "refs/heads/pi-geon", commit);
			userGit(evil, "bundle", "create", "-q", "evil.bundle", "refs/heads/pi-geon", "^main");
			await expect(receive(join(evil, "evil.bundle")), name).rejects.toThrow(/index-pack failed/);
		}
	});
});

describe("the user's repository meanwhile", () => {
	test("`git gc` takes nothing that the tree needs: not what was staged and is not any more, nor a rewritten commit", async () => {
		const main = project();
		write(main, { staged: "only in the index\n" });
		userGit(main, "add", "staged");
		const { path, harvest } = await ground.tree(main);
		userGit(main, "reset", "-q", "--hard");
		userGit(main, "gc", "-q", "--prune=now");
		write(path, { a: "mine\n" });
		userGit(path, "commit", "-qam", "mine");
		userGit(main, "commit", "-q", "--amend", "-m", "rewritten");
		userGit(main, "gc", "-q", "--prune=now");
		expect(summary(await harvest())).toEqual(["M a"]);
	});

	test("if its commit is gone for good, the tree is not harvested, and says why", async () => {
		const main = project();
		const { path, harvest } = await ground.tree(main);
		write(path, { a: "mine\n" });
		appendFileSync(join(main, "a"), "more\n");
		userGit(main, "checkout", "-q", "--orphan", "other");
		userGit(main, "commit", "-qam", "other");
		userGit(main, "branch", "-D", "main");
		userGit(main, "reflog", "expire", "--expire=now", "--all");
		userGit(main, "gc", "-q", "--prune=now");
		await expect(harvest()).rejects.toThrow(/git \S+ failed/);
		expect(readFileSync(join(path, "a"), "utf8")).toBe("mine\n");
	});
});
