/** What a tree costs: a snapshot of a dirty checkout of 10,000 files, side by side with `git worktree add` of the same. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findCheckout } from "../src/trees/checkout.ts";
import { packChanges } from "../src/trees/harvest.ts";
import { TREE_LIMITS } from "../src/trees/measure.ts";
import { runPlainly } from "../src/trees/program.ts";
import { receiveBundle } from "../src/trees/receive.ts";
import { snapshot, treeParts } from "../src/trees/snapshot.ts";
import { cpuWithChildren } from "./cpu.ts";
import { median, ms, times } from "./figures.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "7" },
		files: { type: "string", default: "10000" },
		folder: { type: "string", default: tmpdir() },
		json: { type: "boolean" },
	},
});

const FILES = Number(values.files);
const folder = realpathSync(mkdtempSync(join(values.folder, "pi-geon-trees-")));
const main = join(folder, "main");
const git = (...args: string[]) =>
	execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd: main, stdio: "ignore" });

interface Cost {
	wall: number;
	/** Of this process and all it started and waited for. */
	cpu: number;
}

async function costOf(work: () => Promise<unknown> | unknown): Promise<Cost> {
	// What was written before must not be paid for by this.
	execFileSync("sync");
	const [before, cpu] = [performance.now(), cpuWithChildren()];
	await work();
	return { wall: performance.now() - before, cpu: cpuWithChildren() - cpu };
}

try {
	progress(`a repository of ${FILES} files`);
	for (let index = 0; index < FILES; index++) {
		const at = join(main, `folder-${index % 100}`);
		if (index < 100) mkdirSync(at, { recursive: true });
		writeFileSync(join(at, `file-${index}.ts`), `export const number${index} = ${index};\n`.repeat(170));
	}
	git("init", "-q");
	git("add", "-A");
	git("commit", "-q", "-m", "all");
	for (let index = 0; index < 20; index++) writeFileSync(join(main, "folder-0", `file-${index}00.ts`), "changed\n");
	for (let index = 0; index < 20; index++) writeFileSync(join(main, `new-${index}.ts`), "new\n");

	const snapshots: Cost[] = [];
	const worktrees: Cost[] = [];
	const homecomings: Cost[] = [];
	const removals: Cost[] = [];
	for (let round = 0; round < Number(values.rounds); round++) {
		progress(`round ${round + 1}`);
		const tree = join(folder, `tree-${round}`);
		let base: Awaited<ReturnType<typeof snapshot>>["base"] | undefined;
		const ours = async () => {
			const checkout = await findCheckout(main);
			const order = { checkout, folder: tree, limits: TREE_LIMITS, link: [], submodules: "warn" } as const;
			base = (await snapshot(order)).base;
		};
		const theirs = () => git("worktree", "add", "-q", "--detach", join(folder, `worktree-${round}`));
		// They take turns at being first: the second one finds the objects in the cache.
		const both = [async () => snapshots.push(await costOf(ours)), async () => worktrees.push(await costOf(theirs))];
		for (const one of round % 2 === 0 ? both : both.reverse()) await one();
		if (!base) throw new Error("There is no base.");
		const known = base;
		writeFileSync(join(treeParts(tree).tree, "folder-1", "file-1.ts"), "by the child\n");
		homecomings.push(
			await costOf(async () => {
				const inRing = runPlainly;
				const packed = await packChanges({ folder: tree, base: known, message: "x", limits: TREE_LIMITS, inRing });
				await receiveBundle({
					packed: packed ?? "",
					checkout: await findCheckout(main),
					base: known,
					patch: join(folder, "patch"),
					bundle: join(folder, "bundle"),
					scratch: join(folder, "check"),
					maxBytes: TREE_LIMITS.maxBytes,
				});
			}),
		);
		removals.push(await costOf(() => rmSync(tree, { recursive: true })));
		git("worktree", "remove", "--force", join(folder, `worktree-${round}`));
	}
	const ratio = (of: keyof Cost) =>
		median(snapshots.map((each, round) => each[of] / (worktrees[round]?.[of] || each[of])));
	const rows: Measured[] = [
		...(["wall", "cpu"] as const).map((of) => ({
			what: `snapshot of a dirty checkout / \`git worktree add\`, ${of === "wall" ? "time" : "processor time"}`,
			value: ratio(of),
			shown: times(ratio(of)),
			goal: { atMost: 1, shown: "at most 1 ×" },
		})),
		...Object.entries({
			snapshot: snapshots,
			"git worktree add": worktrees,
			"bring changes home": homecomings,
			"remove the tree": removals,
		}).map(([what, each]) => {
			const wall = median(each.map((one) => one.wall));
			return { what, value: wall, shown: `${ms(wall)}, ${ms(median(each.map((one) => one.cpu)))} cpu` };
		}),
	];
	report(`Trees of ${FILES} files, median of ${values.rounds}`, rows);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
