import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../run/message-of.ts";
import { git, type Repository } from "../../trees/git.ts";
import { TREE_BRANCH } from "../../trees/git-folder.ts";
import { runPlainly } from "../../trees/program.ts";
import type { TravellingRepository } from "../job.ts";
import { CannotTravel, REMOTE } from "./pack.ts";

export interface MirrorOrder {
	/** The folder for all mirrors and checkouts of a worker. */
	root: string;
	repository: TravellingRepository;
	bundle: Buffer | undefined;
	/** Names the checkout, so that later runs of the session use it again. */
	session: string;
	job: string;
	/** A program and its arguments, run once in a new checkout. */
	setup: readonly string[] | null;
	signal: AbortSignal;
}

const SETUP_WITHIN_MS = 15 * 60_000;

/** The work under way, one at a time for each repository: git takes locks, and a second fetch would bring nothing new. */
const under = new Map<string, Promise<unknown>>();

/**
 * Makes a checkout of the requester's repository from a mirror, which this machine fetches with its own credentials. Returns
 * the top folder.
 */
export function checkoutFor(order: MirrorOrder): Promise<string> {
	const { key } = order.repository;
	const before = under.get(key) ?? Promise.resolve();
	const made = before.then(
		() => checkedOut(order),
		() => checkedOut(order),
	);
	under.set(key, made);
	return made;
}

async function checkedOut(order: MirrorOrder): Promise<string> {
	const { root, repository, session, setup, signal } = order;
	const mirror = await mirrorWith(order);
	const folder = join(root, "checkouts", session);
	const ready = `${folder}.ready`;
	mkdirSync(join(root, "checkouts"), { recursive: true, mode: 0o700 });
	const isThere = existsSync(ready) && existsSync(join(folder, ".git"));
	if (isThere) {
		const own = { gitDir: join(folder, ".git"), workTree: folder };
		await git(inWorktree(own), ["checkout", "--quiet", "--force", "--detach", repository.commit]);
		await git(inWorktree(own), ["clean", "-fdq"]);
		return folder;
	}
	rmSync(ready, { force: true });
	rmSync(folder, { recursive: true, force: true });
	await git(mirror, ["worktree", "prune"]);
	await git(mirror, ["worktree", "add", "--quiet", "--force", "--detach", folder, repository.commit]);
	if (setup) await runSetup(setup, folder, signal);
	writeFileSync(ready, "", { mode: 0o600 });
	return folder;
}

/** A worktree's `.git` is a file that says where the rest is, and git finds that by itself. */
const inWorktree = ({ gitDir, workTree }: Required<Omit<Repository, "cwd">>): Repository => ({ gitDir, workTree });

async function mirrorWith({ root, repository, bundle, job }: MirrorOrder): Promise<Repository> {
	const { key, remote, commit } = repository;
	const gitDir = join(root, "mirrors", `${key}.git`);
	const mirror: Repository = { gitDir };
	if (!existsSync(join(gitDir, "HEAD"))) {
		mkdirSync(gitDir, { recursive: true, mode: 0o700 });
		await git({ gitDir, cwd: gitDir }, ["init", "--quiet", "--bare"]);
	}
	const file = `${gitDir}.${job}.bundle`;
	try {
		if (bundle) writeFileSync(file, bundle, { mode: 0o600 });
		const fetched = bundle ? [file, `+${TREE_BRANCH}:refs/pi-geon/${job}`] : undefined;
		if (!(await hasAll(mirror, { commit, bundle: bundle && file })) && remote !== undefined) {
			await fetchRemote(mirror, remote);
		}
		if (fetched) await git(mirror, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", ...fetched]);
		await git(mirror, ["cat-file", "-e", `${commit}^{commit}`]);
		return mirror;
	} catch (error) {
		if (error instanceof CannotTravel) throw error;
		// If everything needed is here, this machine could not write, but another one may be able to.
		const isOfGit = error instanceof Error && error.name === "GitFailed";
		if (!isOfGit || (bundle && (await hasAll(mirror, { commit, bundle: file })))) throw error;
		throw new CannotTravel(`The worker cannot get the repository: ${messageOf(error)}`);
	} finally {
		rmSync(file, { force: true });
	}
}

/** Whether the mirror has everything, so that there is no need to fetch from the remote. */
async function hasAll(
	mirror: Repository,
	{ commit, bundle }: { commit: string; bundle: string | undefined },
): Promise<boolean> {
	const question = bundle ? ["bundle", "verify", "--quiet", bundle] : ["cat-file", "-e", `${commit}^{commit}`];
	return (await git(mirror, question, { accept: [1, 128] })).exitCode === 0;
}

/** Fetches with the credentials of this machine's user: their keys, their credential helper. */
async function fetchRemote({ gitDir }: Repository, remote: string): Promise<void> {
	if (!REMOTE.test(remote)) throw new CannotTravel(`The worker does not fetch from ${JSON.stringify(remote)}.`);
	const own = Object.entries(process.env).flatMap(([name, value]) =>
		value === undefined || /^GIT_(DIR|WORK_TREE|INDEX_FILE|CONFIG_PARAMETERS|OBJECT_DIRECTORY)$/.test(name)
			? []
			: [[name, value]],
	);
	const safely = ["core.hooksPath=/dev/null", "protocol.ext.allow=never", "gc.auto=0", "fetch.fsckObjects=true"];
	const refs = ["+refs/heads/*:refs/remotes/origin/*"];
	const fetch = ["fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head", "--", remote, ...refs];
	const { exitCode, stderr } = await runPlainly(
		["git", "--git-dir", gitDir, ...safely.flatMap((one) => ["-c", one]), ...fetch],
		{ cwd: gitDir, env: { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" } },
	);
	if (exitCode === 0) return;
	throw new CannotTravel(`The worker cannot read ${remote}: ${stderr.trim().replace(/\s+/g, " ").slice(0, 300)}`);
}

async function runSetup(command: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(SETUP_WITHIN_MS)]);
	const env = Object.fromEntries(
		Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
	try {
		const { exitCode, stderr, stdout } = await runPlainly(command, { cwd, env, signal: limit });
		if (exitCode === 0) return;
		const said = (stderr || stdout.toString()).trim().slice(-600);
		throw new CannotTravel(`The setup of the worker failed (${command[0]}, exit code ${exitCode}): ${said}`);
	} catch (error) {
		if (error instanceof CannotTravel) throw error;
		throw new CannotTravel(`The setup of the worker could not run (${command[0]}): ${messageOf(error)}`);
	}
}
