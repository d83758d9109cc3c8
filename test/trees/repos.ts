import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { findCheckout } from "../../src/trees/checkout.ts";
import { packChanges } from "../../src/trees/harvest.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { type RunProgram, runPlainly } from "../../src/trees/program.ts";
import { type Received, receiveBundle } from "../../src/trees/receive.ts";
import { type Snapshot, type SnapshotOrder, snapshot, treeParts } from "../../src/trees/snapshot.ts";

/** git as a user has it, with nothing of the configuration of whoever runs the tests. */
export function userGit(cwd: string, ...args: string[]): string {
	const env = { PATH: process.env.PATH, HOME: "/nowhere", LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" };
	const who = ["-c", "user.name=User", "-c", "user.email=user@example.com", "-c", "protocol.file.allow=always"];
	return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function write(folder: string, files: Record<string, string>): void {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}

/** A repository with one commit of these files. */
export function repositoryIn(folder: string, files: Record<string, string>): string {
	mkdirSync(folder, { recursive: true });
	userGit(folder, "init", "-q", "-b", "main");
	write(folder, files);
	userGit(folder, "add", "-A");
	userGit(folder, "commit", "-q", "-m", "one");
	return folder;
}

/** Every file below a folder: its mode, and its content or where it links to. */
export function contentOf(folder: string, { withGit = true } = {}): Record<string, string> {
	const all: Record<string, string> = {};
	for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
		if (!withGit && /(^|\/)\.git(\/|$)/.test(name)) continue;
		const found = lstatSync(join(folder, name));
		if (found.isDirectory()) continue;
		const content = found.isSymbolicLink() ? readlinkSync(join(folder, name)) : readFileSync(join(folder, name));
		all[name] = `${found.mode.toString(8)} ${createHash("sha1").update(content).digest("hex")}`;
	}
	return all;
}

/** What the files of a folder say, without those of git. */
export const textsIn = (folder: string): Record<string, string> =>
	Object.fromEntries(
		Object.keys(contentOf(folder, { withGit: false }))
			.filter((name) => !lstatSync(join(folder, name)).isSymbolicLink())
			.map((name) => [name, readFileSync(join(folder, name), "utf8")]),
	);

export interface MadeTree extends Snapshot {
	folder: string;
	/** Where the child works. */
	path: string;
	/** What the child has changed, brought home; undefined if nothing. */
	harvest(inRing?: RunProgram): Promise<(Received & { patch: string; bundle: string }) | undefined>;
}

export interface Ground {
	folder(): string;
	tree(cwd: string, order?: Partial<SnapshotOrder>): Promise<MadeTree>;
}

let trees = 0;

/** Call it once in a file: what a test makes is gone after it. */
export function useGround(): Ground {
	const folders: string[] = [];
	afterEach(() => {
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
	});
	const folder = () => {
		const path = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-trees-")));
		folders.push(path);
		return path;
	};
	return {
		folder,
		async tree(cwd, order = {}) {
			const checkout = await findCheckout(cwd);
			const root = folder();
			const own = order.folder ?? join(root, `tree-${++trees}`);
			const made = await snapshot({
				checkout,
				folder: own,
				limits: TREE_LIMITS,
				link: [],
				submodules: "warn",
				...order,
			});
			return {
				...made,
				folder: own,
				path: treeParts(own).tree,
				async harvest(inRing = runPlainly) {
					const packed = await packChanges({
						folder: own,
						base: made.base,
						message: "work",
						limits: TREE_LIMITS,
						inRing,
					});
					if (packed === undefined) return undefined;
					const files = { patch: join(root, "r.patch"), bundle: join(root, "r.bundle") };
					const received = await receiveBundle({
						packed,
						checkout,
						base: made.base,
						...files,
						scratch: join(root, "check"),
						maxBytes: TREE_LIMITS.maxBytes,
					});
					return { ...received, ...files };
				},
			};
		},
	};
}
