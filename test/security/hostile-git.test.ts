import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { packRepository } from "../../src/pool/repository/pack.ts";
import { makeBranch } from "../../src/trees/branch.ts";
import { findCheckout } from "../../src/trees/checkout.ts";
import { askAsUser, git } from "../../src/trees/git.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { repositoryIn, useGround, userGit, write } from "../trees/repos.ts";

/** A project may come as an archive, with a `.git` in which somebody else wrote the configuration. */

const ground = useGround();

interface Scene {
	main: string;
	/** Leaves a mark when it runs. */
	program: string;
	ran(): string;
}

function scene(): Scene {
	const folder = ground.folder();
	const mark = join(folder, "mark");
	const program = join(folder, "program");
	writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`);
	chmodSync(program, 0o755);
	const main = repositoryIn(join(folder, "project"), { a: "1\n", b: "1\n" });
	return { main, program, ran: () => (existsSync(mark) ? readFileSync(mark, "utf8") : "") };
}

const configure = (repository: string, text: string) => appendFileSync(join(repository, ".git", "config"), text);

/** Settings and files with which git runs a program to see whether a file has changed. */
function arm(repository: string, program: string): void {
	const commands = ["clean", "smudge", "process"].map((name) => `\t${name} = ${program}\n`).join("");
	configure(repository, `[core]\n\tfsmonitor = ${program}\n[filter "x"]\n${commands}`);
	writeFileSync(join(repository, ".gitattributes"), "* filter=x\n");
	writeFileSync(join(repository, "a"), "2\n");
	utimesSync(join(repository, "b"), 1, 1);
}

const submodule = (outer: string, name: string): string => {
	const inner = repositoryIn(join(outer, name), { a: "1\n", b: "1\n" });
	userGit(outer, "add", name);
	userGit(outer, "commit", "-q", "-m", name);
	return inner;
};

const pack = (cwd: string) =>
	packRepository({ cwd, scratch: join(ground.folder(), "pack"), limits: TREE_LIMITS, hidden: [], secret: [] });

const SUBMODULES: Record<string, (scene: Scene) => void> = {
	"its own configuration": ({ main, program }) => arm(submodule(main, "sub"), program),
	"a submodule of its own": ({ main, program }) => {
		const sub = repositoryIn(join(main, "sub"), { c: "1\n" });
		const inner = submodule(sub, "inner");
		userGit(main, "add", "sub");
		userGit(main, "commit", "-q", "-m", "sub");
		arm(inner, program);
	},
	"a repository elsewhere": ({ main, program }) => {
		const sub = submodule(main, "sub");
		const elsewhere = repositoryIn(join(ground.folder(), "elsewhere"), { a: "1\n", b: "1\n" });
		rmSync(join(sub, ".git"), { recursive: true });
		arm(elsewhere, program);
		configure(elsewhere, `[core]\n\tworktree = ${sub}\n`);
		writeFileSync(join(sub, ".git"), `gitdir: ${join(elsewhere, ".git")}\n`);
		writeFileSync(join(sub, ".gitattributes"), "* filter=x\n");
		writeFileSync(join(sub, "a"), "2\n");
	},
};

describe("a submodule with", () => {
	test.each(Object.keys(SUBMODULES))("%s runs no program, and the others' work comes home", async (what) => {
		const at = scene();
		SUBMODULES[what]?.(at);
		const { path, harvest } = await ground.tree(at.main);
		writeFileSync(join(path, "a"), "2\n");
		expect((await harvest())?.files).toMatchObject([{ path: "a", status: "M" }]);
		await expect(pack(at.main)).rejects.toThrow(/^The submodule sub(\/inner)? has changes, which do not travel/);
		expect(at.ran()).toBe("");
	});

	test("no changes travels", async () => {
		const { main } = scene();
		submodule(submodule(main, "sub"), "inner");
		userGit(main, "commit", "-q", "-a", "-m", "inner");
		expect((await pack(main)).repository).toMatchObject({ dirty: false });
	});
});

test("a repository with filters, hooks and a file monitor packs itself for a worker without running them", async () => {
	const { main, program, ran } = scene();
	arm(main, program);
	for (const name of ["reference-transaction", "post-index-change", "pre-auto-gc"])
		writeFileSync(join(main, ".git", "hooks", name), readFileSync(program), { mode: 0o755 });
	expect((await pack(main)).repository).toMatchObject({ dirty: true });
	expect(ran()).toBe("");
});

describe("a branch is made without running", () => {
	const made = async ({ main }: Scene) => {
		const { path, harvest } = await ground.tree(main);
		writeFileSync(join(path, "a"), "2\n");
		const { bundle = "", commit = "" } = (await harvest()) ?? {};
		const answer = await makeBranch({ checkout: await findCheckout(main), bundle, commit, name: "pi-geon/x" });
		expect(userGit(main, "rev-parse", "pi-geon/x").trim()).toBe(commit);
		expect(userGit(main, "show", "pi-geon/x:a")).toBe("2\n");
		return answer;
	};

	test("a command that the configuration gives as the address of everything", async () => {
		const at = scene();
		configure(at.main, `[protocol "ext"]\n\tallow = always\n[url "ext::${at.program} "]\n\tinsteadOf = /\n`);
		expect(await made(at)).toBe("made");
		expect(at.ran()).toBe("");
	});

	test("hooks, be they files or configured, whatever their names are", async () => {
		const at = scene();
		const hook = (name: string) => `[hook "${name}"]\n\tevent = reference-transaction\n\tcommand = ${at.program}\n`;
		configure(at.main, `${hook("x")}${hook("A.b=c")}`);
		writeFileSync(join(at.main, ".git", "hooks", "reference-transaction"), readFileSync(at.program), { mode: 0o755 });
		expect(await made(at)).toBe("made");
		expect(at.ran()).toBe("");
		// Only git 2.54 and newer know of configured hooks. Any git can say what it would read of them.
		const { hooks } = (await findCheckout(at.main)).settings;
		expect(hooks).toEqual(["x", "A.b=c"]);
		for (const name of hooks) {
			const asked = git({ gitDir: join(at.main, ".git") }, ["config", `hook.${name}.enabled`], { hooks });
			expect((await asked).stdout.toString()).toBe("false\n");
		}
	});
});

describe("a repository whose files are elsewhere, as it says itself, gets no tree:", () => {
	test.each([
		["beside it", "keys"],
		["around it", ""],
	])("%s", async (_where, named) => {
		const folder = ground.folder();
		mkdirSync(join(folder, "keys"));
		writeFileSync(join(folder, "keys", "id"), "secret");
		const main = repositoryIn(join(folder, "project"), { a: "1\n" });
		configure(main, `[core]\n\tworktree = ${join(folder, named)}\n`);
		await expect(ground.tree(main)).rejects.toMatchObject({ reason: "no_snapshot" });
		await expect(pack(main)).rejects.toThrow("has its files elsewhere");
	});

	test("in a bare repository among its files", async () => {
		const { main, program, ran } = scene();
		const bare = join(main, "bare");
		userGit(main, "init", "-q", "--bare", bare);
		const text = `[core]\n\tbare = false\n\tworktree = ${ground.folder()}\n\tfsmonitor = ${program}\n`;
		appendFileSync(join(bare, "config"), text);
		await expect(ground.tree(bare)).rejects.toMatchObject({ reason: "no_snapshot" });
		expect(ran()).toBe("");
	});
});

test("a name that no repository may hold is told, and no tree is made", async () => {
	const { main } = scene();
	mkdirSync(join(main, ".GIT"));
	writeFileSync(join(main, ".GIT", "config"), "");
	await expect(ground.tree(main)).rejects.toMatchObject({
		reason: "no_snapshot",
		message: expect.stringContaining(".GIT/config"),
	});
});

describe("git is not waited for without end", () => {
	test.each(["config", "HEAD", "commondir"])("if .git/%s is a pipe", async (name) => {
		const { main } = scene();
		rmSync(join(main, ".git", name), { force: true });
		execFileSync("mkfifo", [join(main, ".git", name)]);
		await expect(askAsUser(main, ["rev-parse", "--show-toplevel"], 300)).rejects.toMatchObject({
			reason: "no_snapshot",
			message: expect.stringMatching(/did not answer within 1 s.*-type p$/),
		});
	});

	test("if the configuration includes a pipe", async () => {
		const { main } = scene();
		execFileSync("mkfifo", [join(main, ".git", "pipe")]);
		configure(main, "[include]\n\tpath = pipe\n");
		await expect(askAsUser(main, ["config", "--list"], 300)).rejects.toMatchObject({ reason: "no_snapshot" });
	});
});

describe("a repository in a hidden place is not lent to a tree, although", () => {
	test.each(["the .git of the project names it", "the project has a link to its objects"])("%s", async (how) => {
		const folder = ground.folder();
		const keys = repositoryIn(join(folder, "keys"), { id: "secret\n" });
		const main = repositoryIn(join(folder, "project"), { a: "1\n" });
		if (how.startsWith("the .git")) {
			rmSync(join(main, ".git"), { recursive: true });
			writeFileSync(join(main, ".git"), `gitdir: ${join(keys, ".git")}\n`);
		} else {
			for (const name of ["objects", "refs"]) {
				rmSync(join(main, ".git", name), { recursive: true });
				symlinkSync(join(keys, ".git", name), join(main, ".git", name));
			}
		}
		await expect(ground.tree(main, { hidden: [keys] })).rejects.toThrow("hidden from subagents");
		// Somebody who works there sees it anyway.
		expect((await ground.tree(keys, { hidden: [keys] })).warnings).toEqual([]);
	});
});

describe("the text of a hidden file does not get into a tree as", () => {
	const WAYS: Record<string, (main: string, secret: string) => void> = {
		"an ignore file that an included configuration names": (main, secret) => {
			writeFileSync(join(main, "more"), `[core]\n\texcludesFile = ${secret}\n`);
			configure(main, "[include]\n\tpath = ../more\n");
		},
		"an ignore file that is named relative to the checkout": (main) =>
			configure(main, "[core]\n\texcludesFile = ../keys/id\n"),
		"the index": (main, secret) => {
			rmSync(join(main, ".git", "index"));
			symlinkSync(secret, join(main, ".git", "index"));
		},
	};

	test.each(Object.keys(WAYS))("%s", async (way) => {
		const folder = ground.folder();
		const keys = join(folder, "keys");
		write(keys, { id: "secret" });
		const main = repositoryIn(join(folder, "project"), { a: "1\n" });
		WAYS[way]?.(main, join(keys, "id"));
		await expect(ground.tree(main, { hidden: [keys] })).rejects.toThrow("hidden from subagents");
	});
});

describe("a hidden repository does not travel to a worker although the project", () => {
	const WAYS: Record<string, (objects: string, hidden: string) => void> = {
		"borrows its objects": (objects, hidden) => writeFileSync(join(objects, "info", "alternates"), `${hidden}\n`),
		"names it in quotes": (objects, hidden) =>
			writeFileSync(join(objects, "info", "alternates"), `"${hidden.replace("k", "\\153")}"\n`),
		"borrows from a folder that borrows from it": (objects, hidden) => {
			const between = join(ground.folder(), "objects");
			write(between, { "info/alternates": `${hidden}\n` });
			writeFileSync(join(objects, "info", "alternates"), `${between}\n`);
		},
		"has links to folders of its objects": (objects, hidden) => {
			for (const name of readdirSync(hidden).filter((each) => each.length === 2)) {
				rmSync(join(objects, name), { recursive: true, force: true });
				symlinkSync(join(hidden, name), join(objects, name));
			}
		},
	};

	test.each(Object.keys(WAYS))("%s", async (way) => {
		const folder = ground.folder();
		const keys = repositoryIn(join(folder, "keys"), { id: "secret\n" });
		const main = repositoryIn(join(folder, "project"), { a: "1\n" });
		WAYS[way]?.(join(main, ".git", "objects"), join(keys, ".git", "objects"));
		rmSync(join(main, ".git", "refs"), { recursive: true });
		symlinkSync(join(keys, ".git", "refs"), join(main, ".git", "refs"));
		const order = { cwd: main, scratch: join(ground.folder(), "pack"), limits: TREE_LIMITS, secret: [] };
		await expect(packRepository({ ...order, hidden: [keys] })).rejects.toThrow("hidden from subagents");
		expect((await packRepository({ ...order, hidden: [] })).bundle).toBeDefined();
	});
});

test("an index that would fill the disk is not copied, even if git does not use it", async () => {
	const main = repositoryIn(join(ground.folder(), "project"), { a: "1\n" });
	for (const name of ["sharedindex.1", "sharedindex.2"]) {
		writeFileSync(join(main, ".git", name), "");
		truncateSync(join(main, ".git", name), 150 * 1024 * 1024);
	}
	await expect(ground.tree(main)).rejects.toThrow("is over 256 MiB");
});

describe("a git of the project does not run, although the PATH of the user names", () => {
	const PLACES: Record<string, (main: string, own: string) => string> = {
		"its folder": (main) => join(main, "bin"),
		"a link to its folder": (main, own) => {
			symlinkSync(join(main, "bin"), join(own, "tools"));
			return join(own, "tools");
		},
		"a folder with a link to it": (main, own) => {
			symlinkSync(join(main, "bin", "git"), join(own, "git"));
			return own;
		},
	};

	test.each(Object.keys(PLACES))("%s", async (place) => {
		const { main, program, ran } = scene();
		mkdirSync(join(main, "bin"));
		cpSync(program, join(main, "bin", "git"));
		const path = process.env.PATH ?? "";
		process.env.PATH = [PLACES[place]?.(main, ground.folder()), path].join(delimiter);
		onTestFinished(() => {
			process.env.PATH = path;
		});
		const { path: tree, harvest } = await ground.tree(main);
		writeFileSync(join(tree, "a"), "2\n");
		expect(await harvest()).toMatchObject({ files: [{ path: "a" }] });
		expect(ran()).toBe("");
	});
});
