import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeFiles } from "../../src/ledger/change-files.ts";
import { changeEvents, findChanges } from "../../src/ledger/changes.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import { applyChanges, undoChanges } from "../../src/operate/apply.ts";
import { branchChanges, discardChanges } from "../../src/operate/branch-and-discard.ts";
import { changesOf, diffOf } from "../../src/operate/changes.ts";
import type { TreesPlace } from "../../src/trees/tree-of-run.ts";
import { longTest } from "../helpers/long-test.ts";
import { useScratch } from "../ledger/scratch.ts";
import { contentOf, repositoryIn, textsIn, useGround, userGit, write } from "./repos.ts";
import { placeIn, requestIn, worked } from "./runs.ts";

const ground = useGround();
const scratch = useScratch();

async function setUp(files: Record<string, string> = { a: "1\n2\n3\n4\n5\n6\n7\n8\n", "dir/b": "b\n", c: "c\n" }) {
	const folder = ground.folder();
	const place = placeIn(folder, await scratch.ledger());
	const main = repositoryIn(join(folder, "project"), files);
	const request = requestIn(place);
	return {
		main,
		place,
		request,
		run: (work: (tree: string) => void, wish = {}) => worked(place, main, work, wish),
		apply: (record: RunRecord) => applyChanges(record, request),
		undo: (record: RunRecord) => undoChanges(record, request),
		discard: (record: RunRecord) => discardChanges(record, { ...request, treesRoot: place.root }),
		stateOf: (record: RunRecord) => findChanges(place.ledger, record.run.id)?.state,
	};
}

const changedMuch = (tree: string) => {
	write(tree, { a: "1\n2\nthree\n4\n5\n6\n7\n8\n", "new/deep/file": "new\n" });
	rmSync(join(tree, "dir"), { recursive: true });
	writeFileSync(join(tree, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
	writeFileSync(join(tree, "binary"), Buffer.from([0, 255, 1, 254]));
	symlinkSync("a", join(tree, "link"));
	chmodSync(join(tree, "c"), 0o755);
};

describe("apply", () => {
	test("puts all changes into the checkout and touches neither index nor repository; undo restores it exactly", async () => {
		const { main, run, apply, undo, stateOf, place } = await setUp();
		write(main, { untracked: "mine\n" });
		chmodSync(join(main, "a"), 0o600);
		mkdirSync(join(main, "empty"));
		const before = contentOf(main);
		const record = await run(changedMuch);
		expect(contentOf(main)).toEqual(before);

		expect(await apply(record)).toMatchObject({ done: "applied", state: "applied", files: 7 });
		const after = contentOf(main);
		expect(textsIn(main)).toEqual({
			a: "1\n2\nthree\n4\n5\n6\n7\n8\n",
			c: "c\n",
			"new/deep/file": "new\n",
			"run.sh": "#!/bin/sh\n",
			binary: readFileSync(join(main, "binary"), "utf8"),
			untracked: "mine\n",
		});
		expect(existsSync(join(main, "dir"))).toBe(false);
		expect(statSync(join(main, "a")).mode & 0o777).toBe(0o600);
		expect([statSync(join(main, "run.sh")).mode & 0o111, statSync(join(main, "c")).mode & 0o111]).toEqual([
			0o111, 0o111,
		]);
		expect(readlinkSync(join(main, "link"))).toBe("a");
		const gitOf = (all: Record<string, string>) => Object.entries(all).filter(([name]) => name.startsWith(".git/"));
		expect(gitOf(after)).toEqual(gitOf(before));
		expect(stateOf(record)).toBe("applied");

		expect(await apply(record)).toMatchObject({ done: "already", state: "applied" });
		expect(contentOf(main)).toEqual(after);
		expect(await undo(record)).toMatchObject({ done: "undone", state: "pending" });
		expect(contentOf(main)).toEqual(before);
		expect([existsSync(join(main, "new")), existsSync(join(main, "empty"))]).toEqual([false, true]);
		expect(await undo(record)).toMatchObject({ done: "already", state: "pending" });
		expect(contentOf(main)).toEqual(before);
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(contentOf(main)).toEqual(after);
		expect(changeEvents(place.ledger, record.run.id).map(({ what, by }) => `${what} by ${by}`)).toEqual([
			"applied by the test",
			"undone by the test",
			"applied by the test",
		]);
	});

	test("fits around what the user changed elsewhere in the same file, and undo keeps that", async () => {
		const { main, run, apply, undo } = await setUp();
		const record = await run((tree) => write(tree, { a: "1\n2\n3\n4\n5\n6\n7\neight\n" }));
		write(main, { a: "0\n1\n2\n3\n4\n5\n6\n7\n8\n" });
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(textsIn(main).a).toBe("0\n1\n2\n3\n4\n5\n6\n7\neight\n");
		await undo(record);
		expect(textsIn(main).a).toBe("0\n1\n2\n3\n4\n5\n6\n7\n8\n");
	});

	test("a conflict changes nothing, and says which files", async () => {
		const { main, run, apply, stateOf } = await setUp();
		const record = await run((tree) => {
			write(tree, { a: "other\n", "odd *[name]\n": "n\n", c: "other\n", fine: "fine\n" });
			rmSync(join(tree, "dir/b"));
		});
		write(main, { a: "changed\n", "odd *[name]\n": "there already\n", "dir/b": "b, but changed\n" });
		const before = contentOf(main);
		expect(await apply(record)).toEqual({
			status: "error",
			error: "Nothing was changed. The patch does not apply to these files: a, dir/b, odd *[name]\n",
			conflicts: ["a", "dir/b", "odd *[name]\n"],
		});
		expect(contentOf(main)).toEqual(before);
		expect(stateOf(record)).toBe("pending");
	});

	test("names that look like options, patterns or other paths are names", async () => {
		const { main, run, apply, undo } = await setUp();
		const names = [
			"-rf",
			"--index",
			"--directory=..",
			"*",
			":(top)a",
			"a\nb",
			'q"u\\ote',
			" ",
			"~",
			"$(touch x)",
			"dir/-",
		];
		const before = contentOf(main);
		const record = await run((tree) => write(tree, Object.fromEntries(names.map((name) => [name, `${name}\n`]))));
		expect(await apply(record)).toMatchObject({ done: "applied", files: names.length });
		expect(textsIn(main)).toEqual({
			...{ a: "1\n2\n3\n4\n5\n6\n7\n8\n", "dir/b": "b\n", c: "c\n" },
			...Object.fromEntries(names.map((name) => [name, `${name}\n`])),
		});
		expect(await undo(record)).toMatchObject({ done: "undone" });
		expect(contentOf(main)).toEqual(before);
	});

	test("rights that git does not know, a link up and out, and one in the place of a folder come as they are", async () => {
		const { main, run, apply } = await setUp();
		const outside = ground.folder();
		write(outside, { b: "b\n" });
		const record = await run((tree) => {
			writeFileSync(join(tree, "program"), "#!/bin/sh\n");
			chmodSync(join(tree, "program"), 0o6777);
			symlinkSync("../../..", join(tree, "up"));
			rmSync(join(tree, "dir"), { recursive: true });
			symlinkSync(outside, join(tree, "dir"));
		});
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(statSync(join(main, "program")).mode & 0o7022).toBe(0);
		expect([readlinkSync(join(main, "up")), readlinkSync(join(main, "dir"))]).toEqual(["../../..", outside]);
		expect(textsIn(outside)).toEqual({ b: "b\n" });
		// The next changes would go through that link.
		const next = await run((tree) => {
			rmSync(join(tree, "dir"));
			write(tree, { "dir/b": "changed\n" });
		});
		rmSync(join(main, "dir"));
		mkdirSync(join(main, "dir"));
		symlinkSync(join(outside, "b"), join(main, "dir", "b"));
		expect(await apply(next)).toMatchObject({ conflicts: expect.arrayContaining(["dir"]) });
		expect(textsIn(outside)).toEqual({ b: "b\n" });
	});

	test("nothing is written through a link, nor over a folder", async () => {
		const { main, run, apply } = await setUp();
		const outside = ground.folder();
		write(outside, { b: "b\n" });
		const record = await run((tree) =>
			write(tree, { "dir/b": "changed\n", "dir/new": "new\n", place: "file\n", "at/x": "x\n" }),
		);
		rmSync(join(main, "dir"), { recursive: true });
		symlinkSync(outside, join(main, "dir"));
		write(main, { "place/of mine": "mine\n", at: "a file\n" });
		const before = [contentOf(main), contentOf(outside)];
		expect(await apply(record)).toMatchObject({ conflicts: ["dir/b"] });
		expect([contentOf(main), contentOf(outside)]).toEqual(before);
		const other = await run((tree) => write(tree, { "dir2/x": "x\n", place2: "file\n", "at2/x": "x\n" }));
		symlinkSync(outside, join(main, "dir2"));
		write(main, { "place2/of mine": "mine\n", at2: "a file\n" });
		const then = [contentOf(main), contentOf(outside)];
		expect(await apply(other)).toMatchObject({ conflicts: ["at2/x", "dir2/x", "place2"] });
		expect([contentOf(main), contentOf(outside)]).toEqual(then);
	});

	test("a file becomes a folder, a folder a file, a link a file, and back", async () => {
		const { main, run, apply, undo } = await setUp({
			file: "f\n",
			"folder/x": "x\n",
			"folder/sub/y": "y\n",
			target: "t\n",
		});
		symlinkSync("target", join(main, "link"));
		userGit(main, "add", "-A");
		const before = contentOf(main);
		const record = await run((tree) => {
			for (const name of ["file", "folder", "link"]) rmSync(join(tree, name), { recursive: true });
			write(tree, { "file/inside": "i\n", folder: "now a file\n", link: "now a file\n" });
		});
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(textsIn(main)).toEqual({
			"file/inside": "i\n",
			folder: "now a file\n",
			link: "now a file\n",
			target: "t\n",
		});
		expect(await undo(record)).toMatchObject({ done: "undone" });
		expect(contentOf(main)).toEqual(before);
		expect(lstatSync(join(main, "link")).isSymbolicLink()).toBe(true);
	});

	test("undo refuses once a file was changed again, and names it", async () => {
		const { main, run, apply, undo, stateOf } = await setUp();
		const record = await run(changedMuch);
		await apply(record);
		write(main, { "new/deep/file": "edited by the user\n" });
		const before = contentOf(main);
		expect(await undo(record)).toMatchObject({
			conflicts: ["new/deep/file"],
			error: expect.stringContaining("changed since"),
		});
		expect(contentOf(main)).toEqual(before);
		expect(stateOf(record)).toBe("applied");
	});

	test("line ends of the checkout stay what its attributes say, and filters do not run", async () => {
		const { main, run, apply, undo } = await setUp({ ".gitattributes": "*.bat text eol=crlf\n*.big filter=f\n" });
		write(main, { "x.bat": "one\r\ntwo\r\n", "y.big": "whole\n" });
		userGit(main, "config", "filter.f.clean", "echo pointer");
		userGit(main, "config", "filter.f.smudge", "echo smudged");
		userGit(main, "add", "-A");
		const before = contentOf(main);
		const record = await run((tree) => write(tree, { "x.bat": "one\r\n2\r\n", "y.big": "other\n" }));
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(textsIn(main)).toMatchObject({ "x.bat": "one\r\n2\r\n", "y.big": "other\n" });
		await undo(record);
		expect(contentOf(main)).toEqual(before);
	});

	longTest(
		"works in a folder without git, in a linked worktree, and for a run in a folder of the repository",
		async () => {
			const { main, place, apply, undo } = await setUp();
			const plain = join(ground.folder(), "plain");
			write(plain, { a: "a\n" });
			const linked = join(ground.folder(), "linked");
			userGit(main, "worktree", "add", "-q", linked);
			for (const [cwd, file] of [
				[plain, join(plain, "a")],
				[linked, join(linked, "a")],
				[join(main, "dir"), join(main, "dir", "a")],
			] as const) {
				const before = contentOf(cwd);
				const record = await worked(place, cwd, (tree) => write(tree, { a: "changed\n" }));
				expect(await apply(record), cwd).toMatchObject({ done: "applied" });
				expect(readFileSync(file, "utf8")).toBe("changed\n");
				await undo(record);
				expect(contentOf(cwd)).toEqual(before);
			}
		},
	);

	test("refuses a patch that is not what was recorded", async () => {
		const { main, run, apply, place } = await setUp();
		const record = await run(changedMuch);
		const { patch } = changeFiles(place.places, record.run.id);
		writeFileSync(patch, `${readFileSync(patch, "utf8")}\n`);
		const before = contentOf(main);
		expect(await apply(record)).toMatchObject({ error: expect.stringContaining("differs from what was recorded") });
		expect(contentOf(main)).toEqual(before);
	});
});

describe("branch and discard", () => {
	test("a branch has the snapshot, the child's commits and the rest; the checkout is as before", async () => {
		const { main, run, request, stateOf, apply, undo } = await setUp();
		write(main, { untracked: "mine\n" });
		userGit(main, "config", "core.hooksPath", join(main, ".git", "hooks"));
		const mark = join(ground.folder(), "hook ran");
		mkdirSync(join(main, ".git", "hooks"), { recursive: true });
		writeFileSync(join(main, ".git", "hooks", "reference-transaction"), `#!/bin/sh\ntouch '${mark}'\n`, {
			mode: 0o755,
		});
		const before = contentOf(main, { withGit: false });
		const record = await run(
			(tree) => {
				write(tree, { a: "changed\n" });
				userGit(tree, "commit", "-qam", "By the child");
				write(tree, { a: "again\n" });
			},
			{ label: "Fix the queue!" },
		);
		expect(await branchChanges(record, request)).toMatchObject({ done: "branched", branch: "pi-geon/Fix-the-queue" });
		expect(existsSync(mark)).toBe(false);
		rmSync(join(main, ".git", "hooks"), { recursive: true });
		expect(userGit(main, "log", "--format=%s", "pi-geon/Fix-the-queue")).toBe(
			`What run ${record.run.id} changed\nBy the child\nThe working tree when the run began\none\n`,
		);
		expect(userGit(main, "show", "pi-geon/Fix-the-queue:untracked")).toBe("mine\n");
		expect(contentOf(main, { withGit: false })).toEqual(before);
		expect(userGit(main, "branch", "--show-current")).toBe("main\n");
		expect(stateOf(record)).toBe("branched");
		expect(await branchChanges(record, request)).toMatchObject({ done: "already" });
		expect(await branchChanges(record, { ...request, name: "main" })).toMatchObject({
			error: expect.stringContaining("already is a branch"),
		});
		for (const name of ["-x", "a..b", "x.lock", ""]) {
			const refused = await branchChanges(record, { ...request, name });
			expect(refused, name).toMatchObject({ status: "error", error: expect.stringMatching(/git does not accept/) });
		}
		expect(await apply(record)).toMatchObject({ done: "applied" });
		expect(await undo(record)).toMatchObject({ state: "branched" });
	});

	test("discard removes the changes, twice is harmless, and nothing can be applied after it", async () => {
		const { main, run, apply, discard, place, request } = await setUp();
		const record = await run(changedMuch);
		const before = contentOf(main);
		expect(await discard(record)).toMatchObject({ done: "discarded", files: 7 });
		expect(Object.values(changeFiles(place.places, record.run.id)).filter(existsSync)).toEqual([]);
		expect(await discard(record)).toMatchObject({ done: "already", state: "discarded" });
		expect(await apply(record)).toMatchObject({ error: expect.stringContaining("were discarded") });
		expect(await diffOf(record, request)).toMatchObject({ error: expect.stringContaining("were discarded") });
		expect(contentOf(main)).toEqual(before);
		const applied = await run((tree) => write(tree, { c: "other\n" }));
		await apply(applied);
		expect(await discard(applied)).toMatchObject({ error: expect.stringContaining("Undo that first") });
	});

	test("changes and their diff are shown; for runs without any, the reason", async () => {
		const { run, request } = await setUp();
		const record = await run(changedMuch);
		expect(await changesOf(record, request)).toMatchObject({
			total: { files: 7, added: 4, removed: 2 },
			state: "pending",
			agent: "scout",
		});
		expect(await diffOf(record, request)).toMatchObject({ text: expect.stringContaining("-3\n+three\n"), cutBytes: 0 });
		const idle = await run(() => {});
		expect(await changesOf(idle, request)).toMatchObject({ error: `Run ${idle.run.id} changed nothing.` });
	});
});

longTest(
	"six runs at once on one dirty repository: six sets of changes, and of two that conflict the second is refused",
	async () => {
		const { main, place, apply } = await setUp();
		write(main, { a: "dirty\n2\n3\n4\n5\n6\n7\n8\n", untracked: "u\n" });
		userGit(main, "add", "a");
		const before = contentOf(main);
		const records = await Promise.all(
			Array.from({ length: 6 }, (_, index) =>
				worked(place as TreesPlace, main, (tree) =>
					write(tree, {
						[`own-${index}`]: `${index}\n`,
						...(index > 3 && { a: `by ${index}\n2\n3\n4\n5\n6\n7\n8\n` }),
					}),
				),
			),
		);
		expect(contentOf(main)).toEqual(before);
		const found = records.map(({ run }) => findChanges(place.ledger, run.id)?.files.map(({ path }) => path));
		expect(found).toEqual([["own-0"], ["own-1"], ["own-2"], ["own-3"], ["a", "own-4"], ["a", "own-5"]]);
		for (const record of records.slice(0, 5)) expect(await apply(record)).toMatchObject({ done: "applied" });
		const then = contentOf(main);
		expect(await apply(records[5] as RunRecord)).toMatchObject({ conflicts: ["a"] });
		expect(contentOf(main)).toEqual(then);
		expect(textsIn(main)).toMatchObject({ a: "by 4\n2\n3\n4\n5\n6\n7\n8\n", "own-3": "3\n", untracked: "u\n" });
	},
);
