import { execFile } from "node:child_process";
import { constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isInSomeProject } from "../files/project-area.ts";
import { messageOf } from "../run/message-of.ts";
import type { RingAbilities } from "./bwrap.ts";
import { isAllowed } from "./existing.ts";
import { DOES_NOTHING } from "./outer-ring.ts";
import { openRing } from "./ring.ts";
import { runInRing } from "./run-in-ring.ts";
import { SANDBOX_EXEC } from "./seatbelt.ts";
import { socketFilter } from "./seccomp.ts";

/** Whether the kernel supports a ring here, and with which program; or why not, and what would help. */
export type RingProbe = { can: true; by: string; abilities: RingAbilities } | { can: false; why: string };

/** How long a failed test counts: the user may install what is missing. */
const ASK_AGAIN_MS = 30_000;
const PROBE_TRIES = 20;
const PROBE_AGAIN_MS = 250;

let lastProbe: { at: number; answer: Promise<RingProbe> } | undefined;
let knownAnswer: RingProbe | undefined;

/** Tests a ring, once per process if the test succeeds. */
export function probeRing(): Promise<RingProbe> {
	const isStale = knownAnswer?.can === false && Date.now() - (lastProbe?.at ?? 0) > ASK_AGAIN_MS;
	if (!lastProbe || isStale) {
		const answer = tryOnceThereIsRoom();
		lastProbe = { at: Date.now(), answer };
		answer.then(
			(found) => {
				knownAnswer = found;
			},
			() => {
				lastProbe = undefined; // The disk may have space at the next test.
			},
		);
	}
	return lastProbe.answer;
}

/**
 * Retries a test that cannot make its folder because the disk is full or a folder is forbidden: that says nothing about rings.
 */
async function tryOnceThereIsRoom(): Promise<RingProbe> {
	for (let tries = 1; ; tries += 1) {
		try {
			return await tryRings();
		} catch (error) {
			if (!(error instanceof Error && "code" in error) || tries === PROBE_TRIES) throw error;
		}
		await sleep(PROBE_AGAIN_MS);
	}
}

/** Why no ring is available here; undefined if one is. */
export async function ringTrouble(): Promise<string | undefined> {
	const probe = await probeRing();
	return probe.can ? undefined : probe.why;
}

let lists: Promise<string | undefined> | undefined;

/** Why a ring here cannot be limited to a list of hosts; undefined if it can. Needs one more namespace around the ring. */
export function hostListTrouble(abilities: RingAbilities): Promise<string | undefined> {
	if (abilities.bwrap === SANDBOX_EXEC) return Promise.resolve("macOS has no network of its own for a sandbox");
	lists ??= whyNoRing(abilities, "allowlist");
	return lists;
}

/** The strongest one first. */
const RINGS_TO_TRY: readonly Omit<RingAbilities, "bwrap">[] = [
	{ ownProcesses: true, forbidsNamespaces: true },
	{ ownProcesses: true, forbidsNamespaces: false },
	{ ownProcesses: false, forbidsNamespaces: true },
	{ ownProcesses: false, forbidsNamespaces: false },
];

/** Tests rings from the strongest to the weakest. For another platform, answers what is known without a test. */
export async function tryRings(platform: NodeJS.Platform = process.platform): Promise<RingProbe> {
	if (platform === "darwin") return trySeatbelt();
	const found = bwrapHere(platform);
	if ("why" in found) return { can: false, why: found.why };
	const { bwrap } = found;
	const version = versionOf(bwrap);
	const failures: string[] = [];
	for (const abilities of RINGS_TO_TRY) {
		const problem = await whyNoRing({ bwrap, ...abilities });
		if (problem !== undefined) failures.push(problem);
		else {
			const weaker = abilities.ownProcesses ? "" : ", with /proc of the system";
			return { can: true, by: `${await version}${weaker}`, abilities: { bwrap, ...abilities } };
		}
	}
	return { can: false, why: `bubblewrap cannot make a sandbox here: ${failures[0]}. ${remedyHere()}` };
}

async function trySeatbelt(): Promise<RingProbe> {
	const abilities = { bwrap: SANDBOX_EXEC, ownProcesses: true, forbidsNamespaces: false };
	const problem = canRun(SANDBOX_EXEC) ? await whyNoRing(abilities) : `there is no ${SANDBOX_EXEC}`;
	if (problem === undefined) return { can: true, by: "sandbox-exec", abilities };
	return {
		can: false,
		why: `macOS cannot make a sandbox here: ${problem}. It refuses a sandbox inside another one.`,
	};
}

/** The path of bubblewrap, or why there can be no ring. */
export function bwrapHere(platform: NodeJS.Platform = process.platform): { bwrap: string } | { why: string } {
	if (platform !== "linux") return { why: `There is no sandbox for ${platform}.` };
	if (!socketFilter({ sockets: false })) return { why: `There is no sandbox for ${process.arch} yet.` };
	const bwrap = findBwrap();
	return bwrap === undefined ? { why: `bubblewrap is not installed. ${INSTALL}` } : { bwrap };
}

const INSTALL = "Install the package bubblewrap (apt-get install bubblewrap; dnf and pacman have it too).";

/** Runs a program in the ring: bubblewrap's version proves nothing, since it answers even if namespaces are forbidden. */
async function whyNoRing(abilities: RingAbilities, network: "off" | "allowlist" = "off"): Promise<string | undefined> {
	const scratch = mkdtempSync(join(tmpdir(), "pi-geon-probe-"));
	try {
		const none = { writable: [], readable: [], hidden: [], env: [] };
		const ring = openRing({ ...none, abilities, cwd: "/", scratch, network, sockets: false });
		const { exitCode, stderr } = await runInRing(ring, DOES_NOTHING, { timeoutMs: 10_000 });
		return exitCode === 0 ? undefined : stderr.trim().split("\n")[0] || `exit code ${exitCode}`;
	} catch (error) {
		return messageOf(error);
	} finally {
		removeTrial(scratch);
	}
}

/** If leftovers cannot be removed now, they are removed later with the parent folder. The answer of the test still counts. */
function removeTrial(scratch: string): void {
	try {
		rmSync(scratch, { recursive: true, force: true });
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
	}
}

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin"];

/**
 * Programs of the system come first: a project may have put a program of this name on the PATH. It counts as one of a project
 * wherever it looks like one, since a host works for several projects.
 */
export function findBwrap(
	path = process.env.PATH ?? "",
	first: readonly string[] = SYSTEM_FOLDERS,
): string | undefined {
	const inFolder = (folder: string) => join(folder, "bwrap");
	const onPath = path.split(delimiter).filter((folder) => isAbsolute(folder));
	return [...first.map(inFolder), ...onPath.map(inFolder).filter((file) => !isInSomeProject(file))].find(canRun);
}

export const canRun = (program: string): boolean => isAllowed(program, constants.X_OK);

async function versionOf(bwrap: string): Promise<string> {
	try {
		const { stdout } = await promisify(execFile)(bwrap, ["--version"], { timeout: 10_000 });
		return `bwrap ${/\d[\w.]*/.exec(stdout)?.[0] ?? ""}`.trim();
	} catch (error) {
		if (error instanceof Error) return "bwrap"; // It works, even if its version is unknown.
		throw error;
	}
}

/** The remedy if bubblewrap is installed and the kernel refuses. */
export function remedyHere(): string {
	if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
		return "In a container, allow user namespaces: with Docker, --security-opt seccomp=unconfined --security-opt apparmor=unconfined.";
	}
	if (kernelSetting("kernel/apparmor_restrict_unprivileged_userns") === "1") {
		return "AppArmor forbids user namespaces to programs without a profile: give bwrap one, or set kernel.apparmor_restrict_unprivileged_userns to 0.";
	}
	if (kernelSetting("user/max_user_namespaces") === "0") return "Set user.max_user_namespaces above 0.";
	if (kernelSetting("kernel/unprivileged_userns_clone") === "0") return "Set kernel.unprivileged_userns_clone to 1.";
	return "The kernel must allow user namespaces.";
}

function kernelSetting(name: string): string | undefined {
	try {
		return readFileSync(join("/proc/sys", name), "utf8").trim();
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // This kernel does not have it.
		throw error;
	}
}
