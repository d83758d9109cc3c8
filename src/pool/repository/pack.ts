import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Checkout, findCheckout } from "../../trees/checkout.ts";
import { askAsUser, git, type Repository, withoutLineEnd } from "../../trees/git.ts";
import { TREE_BRANCH } from "../../trees/git-folder.ts";
import type { TreeLimits } from "../../trees/measure.ts";
import { changedSubmodule, commitCheckout } from "../../trees/snapshot.ts";
import { TreeRefused } from "../../trees/tree-refused.ts";
import type { TravellingRepository } from "../job.ts";

/** The limit for a bundle, which goes through a table. */
const MOST_BUNDLE_BYTES = 10 * 1024 * 1024;

/** Why a run cannot go to a worker. Shown to the requester unchanged. */
export class CannotTravel extends Error {
	override name = "CannotTravel";
}

export interface PackOrder {
	cwd: string;
	/** A temporary folder, which is removed. */
	scratch: string;
	limits: TreeLimits;
	/** Absolute paths that must not travel. */
	hidden: readonly string[];
	/** Folders that no snapshot may contain. */
	secret: readonly string[];
}

export interface PackedRepository {
	repository: TravellingRepository;
	bundle?: Buffer;
}

/**
 * The current checkout (HEAD, staged, changed and new files, but no ignored ones) as a commit in a bundle, without what the
 * remote has. Only reads the user's repository, index and files.
 */
export async function packRepository({ cwd, scratch, limits, hidden, secret }: PackOrder): Promise<PackedRepository> {
	rmSync(scratch, { recursive: true, force: true });
	mkdirSync(scratch, { recursive: true, mode: 0o700 });
	try {
		const checkout = await findCheckout(cwd, { secret });
		if (!checkout.repository) throw new CannotTravel(`${cwd} is not in a git repository.`);
		// The bundle does not include them, so the worker would have other files than the user.
		const changed = await changedSubmodule(checkout, scratch);
		if (changed !== undefined) {
			throw new CannotTravel(`The submodule ${changed} has changes, which do not travel. Commit and push them first.`);
		}
		const { ours, base } = await commitCheckout({
			checkout,
			folder: scratch,
			limits,
			link: [],
			submodules: "warn",
			hidden,
		});
		const remote = await remoteOf(cwd);
		const bundle = await bundled(ours, { checkout, remote, file: join(scratch, "out.bundle") });
		return {
			repository: {
				key: keyOf(remote ?? `${hostname()} ${checkout.repository.commonDir}`),
				...(remote !== undefined && { remote }),
				...base,
				prefix: checkout.prefix,
				bundled: bundle !== undefined,
			},
			...(bundle && { bundle }),
		};
	} catch (error) {
		if (error instanceof TreeRefused) throw new CannotTravel(error.message);
		throw error;
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}

const keyOf = (what: string): string => createHash("sha256").update(what).digest("hex").slice(0, 16);

/** An address that a worker could reach. A plain path is a folder of this machine. */
export const REMOTE = /^((https?|ssh|git|file):\/\/[^\s]+|[\w.-]+(@[\w.-]+)?:[^\s:][^\s]*)$/;

async function remoteOf(cwd: string): Promise<string | undefined> {
	const { exitCode, stdout } = await askAsUser(cwd, ["config", "--get", "remote.origin.url"]);
	const url = exitCode === 0 ? withoutLineEnd(stdout) : "";
	// Credentials never travel.
	return REMOTE.test(url) ? url.replace(/^(https?:\/\/)[^/@]*@/, "$1") : undefined;
}

/** Undefined if the remote has everything. */
async function bundled(
	ours: Repository,
	{ checkout, remote, file }: { checkout: Checkout; remote: string | undefined; file: string },
): Promise<Buffer | undefined> {
	const known = remote === undefined ? [] : await commitsOfRemote(checkout);
	const left = await git(ours, ["rev-list", "--max-count=1", "--stdin"], {
		input: [TREE_BRANCH, ...known.map((commit) => `^${commit}`), ""].join("\n"),
	});
	if (left.stdout.length === 0) return undefined;
	// Without the work tree, where git would look for attributes, and wait for a pipe of that name.
	await git({ gitDir: ours.gitDir }, ["bundle", "create", "--quiet", file, "--stdin"], {
		input: [TREE_BRANCH, ...known.map((commit) => `^${commit}`), ""].join("\n"),
	});
	const { size } = statSync(file);
	if (size > MOST_BUNDLE_BYTES) {
		const without = remote === undefined ? " There is no remote that a worker could get it from." : "";
		throw new CannotTravel(
			`A worker would need ${Math.ceil(size / 1024 / 1024)} MB of the repository, and at most ${MOST_BUNDLE_BYTES / 1024 / 1024} MB can be sent.${without} Push what you have, or ignore large files.`,
		);
	}
	return readFile(file);
}

/** The commits of the remote that the user last fetched. */
async function commitsOfRemote({ repository }: Checkout): Promise<string[]> {
	if (!repository) return [];
	const refs = await git({ gitDir: repository.gitDir }, [
		"for-each-ref",
		"--format=%(objectname)",
		"refs/remotes/origin",
	]);
	return [...new Set(refs.stdout.toString().split("\n").filter(Boolean))];
}
