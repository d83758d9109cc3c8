import { execFileSync, spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeEvents, findChanges } from "../../src/ledger/changes.ts";
import { findRun, type RunRecord } from "../../src/ledger/records.ts";
import { findTree, treesLeft } from "../../src/ledger/trees.ts";
import { applyChanges, undoChanges } from "../../src/operate/apply.ts";
import { discardChanges } from "../../src/operate/branch-and-discard.ts";
import { changesOf } from "../../src/operate/changes.ts";
import { removeAllExpired } from "../../src/operate/gc.ts";
import { findCheckout } from "../../src/trees/checkout.ts";
import { clearLeftovers } from "../../src/trees/leftovers.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { removeTreeFolder } from "../../src/trees/remove.ts";
import { measureBefore, treeParts } from "../../src/trees/snapshot.ts";
import { bringHome, openTree } from "../../src/trees/tree-of-run.ts";
import { canMount, unmount } from "../helpers/small-disk.ts";
import { settleDelivery } from "../ledger/one-run.ts";
import { useScratch } from "../ledger/scratch.ts";
import { contentOf, repositoryIn, textsIn, useGround, userGit, write } from "./repos.ts";
import { admitted, ended, HOW, placeIn, requestIn, wishOf, worked } from "./runs.ts";
import type { TreeJob } from "./tree-process.ts";

const ground = useGround();
const scratch = useScratch();

const CLEARING = { at: Date.now(), retentionDays: 30, how: HOW };

async function setUp() {
	const folder = ground.folder();
	const place = placeIn(folder, await scratch.ledger(join(folder, "ledger.sqlite")));
	const main = repositoryIn(join(folder, "project"), { a: "1\n2\n3\n", b: "b\n", c: "c\n" });
	/** In another process, which is killed where `git` is called with this word, or as the job says. */
	const killed = (
		record: RunRecord,
		job: Pick<TreeJob, "verb" | "atRename" | "whenHarvested"> & { atGit?: string },
	) => {
		const { atGit = "", ...rest } = job;
		const bin = join(folder, "bin");
		mkdirSync(bin, { recursive: true });
		const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
		const script = `#!/bin/sh\nfor word in "$@"; do [ "$word" = "${atGit || "\u0001"}" ] && kill -9 $PPID; done\nexec ${real} "$@"\n`;
		writeFileSync(join(bin, "git"), script, { mode: 0o755 });
		const whole: TreeJob = { ...rest, folder, ledger: place.ledger.file, main, runId: record.run.id };
		const ran = spawnSync(process.execPath, [join(import.meta.dirname, "tree-process.ts"), JSON.stringify(whole)], {
			env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
			encoding: "utf8",
		});
		expect({ signal: ran.signal, stderr: ran.stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
	};
	const stateOf = (record: RunRecord) => findTree(place.ledger, record.run.id)?.state;
	return { folder, place, main, killed, stateOf, request: requestIn(place) };
}

describe("the tree of a run", () => {
	test("is in the folder of its session, only for the user, and gone once its changes are home", async () => {
		const { place, main, stateOf } = await setUp();
		const record = admitted(place);
		const { tree, cwd } = await openTree(place, wishOf(record, main));
		expect(tree).toBe(join(place.root, record.sessionId, "tree"));
		expect(cwd).toBe(tree);
		expect(stateOf(record)).toBe("ready");
		expect(execFileSync("stat", ["-c", "%a", place.root, join(tree, "..")], { encoding: "utf8" })).toBe("700\n700\n");
		write(tree, { new: "new\n" });
		ended(place.ledger, record.run.id);
		const home = await bringHome(place, record.run.id, HOW);
		expect(home).toMatchObject({
			changes: { files: [{ path: "new", status: "A" }], total: { files: 1, added: 1, removed: 0 } },
		});
		expect(readdirSync(place.root)).toEqual([]);
		expect(stateOf(record)).toBe("removed");
		expect(await bringHome(place, record.run.id, HOW)).toEqual(home);
		const modes = execFileSync(
			"stat",
			[
				"-c",
				"%a",
				place.places.changes,
				...readdirSync(place.places.changes).map((name) => join(place.places.changes, name)),
			],
			{ encoding: "utf8" },
		);
		expect(modes).toBe("700\n600\n600\n");
	});

	test("of a run that asked in a folder begins in that folder", async () => {
		const { place, main } = await setUp();
		mkdirSync(join(main, "packages", "empty"), { recursive: true });
		const { tree, cwd } = await openTree(place, wishOf(admitted(place), join(main, "packages", "empty")));
		expect(cwd).toBe(join(tree, "packages", "empty"));
		expect(existsSync(cwd)).toBe(true);
	});

	test("is found again by the host that takes over the run; a later run of the session has its own", async () => {
		const { place, main } = await setUp();
		const record = admitted(place);
		const { tree } = await openTree(place, wishOf(record, main));
		write(tree, { half: "done\n" });
		expect((await openTree(place, wishOf(record, main))).tree).toBe(tree);
		expect(textsIn(tree).half).toBe("done\n");
		const later = admitted(place, { session: record.sessionId });
		expect((await openTree(place, wishOf(later, main))).tree).toBe(
			join(place.root, `${record.sessionId}.${later.run.id}`, "tree"),
		);
	});

	test("cannot be of a home directory, nor of one that holds secret folders", async () => {
		const folder = ground.folder();
		const { place } = await setUp();
		const wish = { ...wishOf(admitted(place), folder), secret: [join(folder, "agent")] };
		await expect(openTree(place, wish)).rejects.toMatchObject({ name: "TreeRefused", reason: "no_snapshot" });
		await expect(findCheckout(process.env.HOME ?? "/root")).rejects.toMatchObject({ reason: "no_snapshot" });
		await expect(findCheckout("/")).rejects.toMatchObject({ reason: "no_snapshot" });
	});

	test("of a repository that git refuses is refused with git's words", async () => {
		const { main } = await setUp();
		writeFileSync(join(main, ".git", "config"), "[broken");
		await expect(findCheckout(main)).rejects.toThrow(/git refuses .*bad config/s);
	});

	test("needs git", async () => {
		const { main, folder } = await setUp();
		const code = `import { findCheckout } from ${JSON.stringify(join(import.meta.dirname, "../../src/trees/checkout.ts"))};
			await findCheckout(${JSON.stringify(main)}).catch(({ reason, message }) => console.log(reason, message));`;
		const ran = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
			env: { PATH: folder },
			encoding: "utf8",
		});
		expect(ran.stdout).toMatch(/^no_snapshot git is not installed/);
	});
});

describe("limits are asked for before a run exists", () => {
	const order = { link: [], submodules: "warn" } as const;

	test("50,000 files of a repository, and as many as are allowed in a folder without git", async () => {
		const { main } = await setUp();
		const blob = userGit(main, "hash-object", "-w", "a").trim();
		const entries = Array.from({ length: 50_001 }, (_, index) => `100644 ${blob}\tmany/${index}\n`).join("");
		execFileSync("git", ["update-index", "--index-info"], { cwd: main, input: entries });
		const asked = measureBefore({ ...order, checkout: await findCheckout(main), limits: TREE_LIMITS }, ground.folder());
		await expect(asked).rejects.toMatchObject({
			reason: "snapshot_too_large",
			message: expect.stringContaining("more than 50000 files"),
		});
		const plain = ground.folder();
		for (let index = 0; index < 101; index++) write(plain, { [`many/${index}`]: "" });
		const limits = { ...TREE_LIMITS, maxFiles: 100 };
		const measured = async () =>
			measureBefore({ ...order, checkout: await findCheckout(plain), limits }, ground.folder());
		await expect(measured()).rejects.toMatchObject({ reason: "snapshot_too_large" });
		write(plain, { ".gitignore": "many/1*\n" });
		expect((await measured()).files).toBeLessThan(100);
	});

	test("1 GiB, of which nothing is read", async () => {
		const { main, place } = await setUp();
		write(main, { large: "" });
		truncateSync(join(main, "large"), 1025 * 1024 ** 2);
		const checkout = await findCheckout(main);
		const asked = measureBefore({ ...order, checkout, limits: TREE_LIMITS }, ground.folder());
		await expect(asked).rejects.toMatchObject({ reason: "snapshot_too_large" });
		// One that grew since is refused by the run, and nothing is left of the tree.
		const record = admitted(place);
		await expect(openTree(place, wishOf(record, main))).rejects.toMatchObject({ reason: "snapshot_too_large" });
		expect(readdirSync(place.root)).toEqual([]);
		expect(treesLeft(place.ledger)).toEqual([]);
	});
});

describe("kill -9", () => {
	test.each(["ls-files", "add", "write-tree", "checkout-index"])(
		"while a tree is made, at git %s: whoever takes the run over makes it again",
		async (atGit) => {
			const { place, main, killed, stateOf } = await setUp();
			const before = contentOf(main);
			const record = admitted(place);
			killed(record, { verb: "open", atGit });
			expect(stateOf(record)).toBe("making");
			const { tree } = await openTree(place, wishOf(record, main));
			expect(textsIn(tree)).toEqual({ a: "1\n2\n3\n", b: "b\n", c: "c\n" });
			expect(userGit(tree, "status", "--porcelain")).toBe("");
			expect(contentOf(main)).toEqual(before);
		},
	);

	test("while a tree is made, and the run ends: what is left is cleared", async () => {
		const { place, killed, stateOf } = await setUp();
		const record = admitted(place);
		killed(record, { verb: "open", atGit: "checkout-index" });
		expect(await clearLeftovers(place, CLEARING)).toEqual({ removed: 0, harvested: 0, failed: [] });
		expect(readdirSync(place.root)).toHaveLength(1);
		ended(place.ledger, record.run.id);
		expect(await clearLeftovers(place, CLEARING)).toEqual({ removed: 1, harvested: 0, failed: [] });
		expect(readdirSync(place.root)).toEqual([]);
		expect(stateOf(record)).toBe("removed");
	});

	test.each(["write-tree", "commit-tree", "bundle", "index-pack", "diff"])(
		"while changes are brought home, at git %s: they come home all the same",
		async (atGit) => {
			const { place, main, killed, stateOf } = await setUp();
			const record = admitted(place);
			const { tree } = await openTree(place, wishOf(record, main));
			write(tree, { a: "changed\n" });
			ended(place.ledger, record.run.id);
			killed(record, { verb: "home", atGit });
			expect(stateOf(record)).toBe("ready");
			// Without a ring nobody looks into it.
			expect(await clearLeftovers(place, { at: Date.now(), retentionDays: 30 })).toEqual({
				removed: 0,
				harvested: 0,
				failed: [],
			});
			expect(await clearLeftovers(place, CLEARING)).toEqual({ removed: 0, harvested: 1, failed: [] });
			expect(findChanges(place.ledger, record.run.id)).toMatchObject({ state: "pending", total: { files: 1 } });
			expect(readdirSync(place.root)).toEqual([]);
			expect(readdirSync(place.places.changes).sort()).toEqual([`${record.run.id}.bundle`, `${record.run.id}.patch`]);
		},
	);

	test("once they are, and before the tree is removed: it is removed later", async () => {
		const { place, main, killed, stateOf } = await setUp();
		const record = admitted(place);
		write((await openTree(place, wishOf(record, main))).tree, { a: "changed\n" });
		ended(place.ledger, record.run.id);
		killed(record, { verb: "home", whenHarvested: true });
		expect(stateOf(record)).toBe("harvested");
		expect(readdirSync(place.root)).toHaveLength(1);
		expect(await clearLeftovers(place, { at: Date.now(), retentionDays: 30 })).toEqual({
			removed: 1,
			harvested: 0,
			failed: [],
		});
		expect(readdirSync(place.root)).toEqual([]);
		expect(findChanges(place.ledger, record.run.id)?.state).toBe("pending");
	});

	test.each(["harvested", "removed"])(
		"once they are and the tree is %s, before the run has finished: its next attempt begins with them, and adds to them",
		async (state) => {
			const { place, main, killed, stateOf, request } = await setUp();
			const record = admitted(place);
			write((await openTree(place, wishOf(record, main))).tree, { a: "first\n" });
			if (state === "harvested") killed(record, { verb: "home", whenHarvested: true });
			else await bringHome(place, record.run.id, HOW);
			expect(stateOf(record)).toBe(state);
			// Nobody decides about changes that may still grow.
			expect(await applyChanges(record, request)).toMatchObject({
				error: expect.stringMatching(/has not finished.*pi-geon stop/),
			});
			expect(await clearLeftovers(place, CLEARING)).toEqual({ removed: 0, harvested: 0, failed: [] });

			const { tree, carried } = await openTree(place, wishOf(record, main));
			expect([carried, textsIn(tree).a]).toEqual([record.run.id, "first\n"]);
			write(tree, { b: "second\n" });
			const over = ended(place.ledger, record.run.id);
			expect(await bringHome(place, record.run.id, HOW)).toMatchObject({ changes: { total: { files: 2 } } });
			expect(await applyChanges(over, request)).toMatchObject({ done: "applied", files: 2 });
			expect(textsIn(main)).toEqual({ a: "first\n", b: "second\n", c: "c\n" });
		},
	);

	test("before the run has finished, and its next attempt reverts everything: nothing is left to apply", async () => {
		const { place, main, request } = await setUp();
		const record = admitted(place);
		write((await openTree(place, wishOf(record, main))).tree, { a: "first\n" });
		await bringHome(place, record.run.id, HOW);
		write((await openTree(place, wishOf(record, main))).tree, { a: "1\n2\n3\n" });
		const over = ended(place.ledger, record.run.id);
		expect(await bringHome(place, record.run.id, HOW)).toMatchObject({ changes: undefined });
		expect(await applyChanges(over, request)).toMatchObject({ error: expect.stringContaining("changed nothing") });
	});

	test("before the run has finished, and they no longer fit: the next attempt is refused, and they are kept", async () => {
		const { place, main, request } = await setUp();
		const record = admitted(place);
		write((await openTree(place, wishOf(record, main))).tree, { a: "first\n" });
		await bringHome(place, record.run.id, HOW);
		write(main, { a: "by the user\n" });
		await expect(openTree(place, wishOf(record, main))).rejects.toMatchObject({ name: "TreeRefused" });
		const over = ended(place.ledger, record.run.id);
		write(main, { a: "1\n2\n3\n" });
		expect(await applyChanges(over, request)).toMatchObject({ done: "applied", files: 1 });
	});

	const threeFiles = (tree: string) => {
		write(tree, { a: "changed\n", b: "changed\n", "new/d": "d\n" });
		rmSync(join(tree, "c"));
	};

	test.each([{ atGit: "apply" }, { atRename: 1 }, { atRename: 2 }, { atRename: 3 }])(
		"while changes are applied (%o): applying again completes it, undoing takes it back",
		async (where) => {
			const { place, main, killed, request } = await setUp();
			const before = contentOf(main);
			const [one, two] = [await worked(place, main, threeFiles), await worked(place, main, threeFiles)];
			const whole = { a: "changed\n", b: "changed\n", "new/d": "d\n" };
			killed(one, { verb: "apply", ...where });
			expect(findChanges(place.ledger, one.run.id)?.state).toBe("applying");
			expect(await discardChanges(one, { ...request, treesRoot: place.root })).toMatchObject({
				error: expect.stringContaining("interrupted"),
			});
			expect(await applyChanges(one, request)).toMatchObject({ done: "applied" });
			expect(textsIn(main)).toEqual(whole);
			killed(one, { verb: "undo", atRename: 2 });
			expect(await undoChanges(one, request)).toMatchObject({ done: "undone" });
			expect(contentOf(main)).toEqual(before);

			killed(two, { verb: "apply", ...where });
			expect(await undoChanges(two, request)).toMatchObject({ done: "undone", state: "pending" });
			expect(contentOf(main)).toEqual(before);
			expect(await applyChanges(two, request)).toMatchObject({ done: "applied" });
			expect(textsIn(main)).toEqual(whole);
			expect(changeEvents(place.ledger, two.run.id).map(({ what }) => what)).toEqual(["undone", "applied"]);
		},
	);
});

describe("what cannot be brought home", () => {
	test("stays in its tree, says why and where, and is removed by discard or after its time", async () => {
		const { place, main, request, stateOf } = await setUp();
		const records = [admitted(place), admitted(place)] as const;
		for (const record of records) {
			const { tree } = await openTree(place, wishOf(record, main));
			write(tree, { a: "work\n" });
			ended(place.ledger, record.run.id);
		}
		renameSync(main, `${main}.away`);
		const [first, second] = records;
		const home = await bringHome(place, first.run.id, HOW);
		const { tree } = treeParts(join(place.root, first.sessionId));
		expect(home).toEqual({ notHarvested: expect.stringMatching(/ENOENT|git \S+ failed/), tree });
		expect(textsIn(tree).a).toBe("work\n");
		const over = { ...first, run: { ...first.run, state: "ended" } } as RunRecord;
		expect(await changesOf(over, request)).toMatchObject({ error: expect.stringContaining(`They are in ${tree}`) });
		expect(await discardChanges(over, { ...request, treesRoot: place.root })).toMatchObject({ done: "discarded" });
		expect(await discardChanges(over, { ...request, treesRoot: place.root })).toMatchObject({ done: "already" });
		expect(await changesOf(over, request)).toMatchObject({ error: expect.stringContaining("were discarded") });
		expect(stateOf(first)).toBe("removed");

		expect((await clearLeftovers(place, CLEARING)).failed).toHaveLength(1);
		expect(stateOf(second)).toBe("ready");
		const later = Date.now() + 31 * 24 * 60 * 60_000;
		expect(await clearLeftovers(place, { ...CLEARING, at: later })).toMatchObject({ removed: 1, failed: [] });
		expect(readdirSync(place.root)).toEqual([]);
	});

	test.skipIf(!canMount())(
		"on a full disk, a tree is not made and nothing is left; changes stay until there is room",
		async () => {
			const { place, main, folder, stateOf } = await setUp();
			const mounted: string[] = [];
			const mount = (path: string, size: string) => {
				mounted.push(path);
				mkdirSync(path, { recursive: true });
				execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", path]);
			};
			write(main, { large: "x".repeat(300_000) });
			mount(place.root, "200k");
			mount(place.places.changes, "64k");
			try {
				const record = admitted(place);
				await expect(openTree(place, wishOf(record, main))).rejects.toThrow(/ENOSPC|No space left|unable to write/);
				expect(readdirSync(place.root)).toEqual([]);
				expect(treesLeft(place.ledger)).toEqual([]);

				execFileSync("/bin/mount", ["-o", "remount,size=2m", place.root]);
				const { tree } = await openTree(place, wishOf(record, main));
				ended(place.ledger, record.run.id);
				// Does not compress.
				const noise = execFileSync("head", ["-c", "150000", "/dev/urandom"]);
				writeFileSync(join(tree, "noise"), noise);
				expect(await bringHome(place, record.run.id, HOW)).toMatchObject({
					notHarvested: expect.stringMatching(/ENOSPC|No space/),
				});
				expect([stateOf(record), readdirSync(place.places.changes)]).toEqual(["ready", []]);
				execFileSync("/bin/mount", ["-o", "remount,size=4m", place.places.changes]);
				expect(await bringHome(place, record.run.id, HOW)).toMatchObject({ changes: { total: { files: 1 } } });

				const small = join(folder, "small");
				mount(small, "400k");
				repositoryIn(small, { a: "a\n" });
				const over = await worked(place, small, (path) =>
					write(path, { "1": "x".repeat(120_000), "2": "y".repeat(120_000) }),
				);
				writeFileSync(join(small, ".git", "filler"), Buffer.alloc(180_000));
				const before = contentOf(small);
				await expect(applyChanges(over, requestIn(place))).rejects.toThrow(/ENOSPC/);
				expect(contentOf(small)).toEqual(before);
				expect(findChanges(place.ledger, over.run.id)?.state).toBe("pending");
				rmSync(join(small, ".git", "filler"));
				expect(await applyChanges(over, requestIn(place))).toMatchObject({ done: "applied" });
			} finally {
				for (const path of mounted) unmount(path);
			}
		},
	);
});

describe("removal", () => {
	test("takes only folders of trees: not one elsewhere, nor what a link leads to", async () => {
		const { place, main } = await setUp();
		mkdirSync(place.root, { recursive: true });
		symlinkSync(main, join(place.root, "link"));
		mkdirSync(join(place.root, "tree", "deeper"), { recursive: true });
		symlinkSync(main, join(place.root, "tree", "deeper", "link"));
		for (const path of [
			main,
			place.root,
			join(place.root, "link"),
			join(place.root, "tree", "deeper"),
			join(place.root, "tree", "..", ".."),
		]) {
			await expect(removeTreeFolder(path, place.root), path).rejects.toThrow(/is not the folder of a tree/);
		}
		await removeTreeFolder(join(place.root, "tree"), place.root);
		expect(textsIn(main)).toEqual({ a: "1\n2\n3\n", b: "b\n", c: "c\n" });
	});

	test("folders and files that no ledger knows go after their time", async () => {
		const { place } = await setUp();
		const old = new Date(Date.now() - 31 * 24 * 60 * 60_000);
		for (const path of [
			join(place.root, "unknown"),
			join(place.root, "young"),
			join(place.places.changes, "0a1b2c3d.check"),
		]) {
			mkdirSync(path, { recursive: true });
			if (!path.endsWith("young")) utimesSync(path, old, old);
		}
		expect(await clearLeftovers(place, CLEARING)).toEqual({ removed: 2, harvested: 0, failed: [] });
		expect([readdirSync(place.root), readdirSync(place.places.changes)]).toEqual([["young"], []]);
	});

	test("with the run its patch and its bundle go, and a run whose tree is left stays", async () => {
		const { place, main } = await setUp();
		const { ledger, places } = place;
		const [gone, left] = [await worked(place, main, (tree) => write(tree, { a: "x\n" })), admitted(place)];
		await openTree(place, wishOf(left, main));
		ended(ledger, left.run.id);
		for (const { run } of [gone, left]) settleDelivery(ledger, run.id, Date.now());
		const at = Date.now() + 31 * 24 * 60 * 60_000;
		const retention = { at, retentionDays: 30, places };
		expect(await removeAllExpired(ledger, retention)).toMatchObject({ runs: 1, files: 2, failed: [] });
		expect([findRun(ledger, gone.run.id), findChanges(ledger, gone.run.id)]).toEqual([undefined, undefined]);
		expect(readdirSync(places.changes)).toEqual([]);
		expect(existsSync(join(place.root, left.sessionId))).toBe(true);
		expect(await removeAllExpired(ledger, { ...retention, treesRoot: place.root })).toMatchObject({
			runs: 1,
			trees: 1,
		});
		expect(readdirSync(place.root)).toEqual([]);
	});
});
