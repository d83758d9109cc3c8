import { existsSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { shellWords } from "./quote.ts";

/** The ring around a host. All paths are real ones that exist. */
export interface OuterRing {
	bwrap: string;
	/** What it may write. Everything else is read-only. */
	writable: readonly string[];
	/** Files and folders that also appear at another path, read-only and in this order. */
	shown: readonly { from: string; at: string }[];
	env: Readonly<Record<string, string>>;
	/** Whether root runs it. */
	isRoot: boolean;
}

/** The variable that tells a host about its ring: `kernel` and the replaced programs, or why it has no ring. */
export const HOST_RING = "PI_GEON_HOST_RING";
export const ENFORCED = "kernel";

/**
 * bubblewrap's arguments for a host. The host keeps the machine's pids and network: others know it by its pid, and it sends
 * requests to models. `/proc` must be writable, because a ring inside sets its user there. A ring inside root's ring cannot
 * be root's, so root is another user there.
 */
export function outerRingArguments({ writable, shown, env, isRoot }: OuterRing): string[] {
	return [
		...["--unshare-user", "--unshare-ipc", "--cap-drop", "ALL"],
		...(isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
		...["--ro-bind", "/", "/", "--dev", "/dev", "--bind", "/proc", "/proc"],
		...writable.flatMap((folder) => ["--bind", folder, folder]),
		...shown.flatMap(({ from, at }) => ["--ro-bind", from, at]),
		...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
	];
}

/** Records that such a ring was tested and works, and on which machine. */
export interface RingProof {
	file: string;
	text: string;
}

/**
 * A command that runs another one in the ring, or without a ring if it does not work. It first tests the ring with another
 * one inside, as tools need it: a host without a ring is better than tools without one. With a proof, it skips the test, which
 * takes longer than making the ring. Afterwards, only the command's own process remains, and bubblewrap's, which waits for it.
 */
export function ringedCommand(ring: OuterRing, command: readonly string[], proof: RingProof): string[] {
	const inRing = [ring.bwrap, ...outerRingArguments(ring), "--"];
	if (fileText(proof.file) === proof.text) return [...inRing, ...command];
	const words = shellWords(inRing);
	const script = [
		`if why=$(${words} ${shellWords(nestedTrial(ring.bwrap))} 2>&1); then`,
		`(umask 077; printf %s ${shellWords([proof.text])} > ${shellWords([proof.file])})`,
		`exec ${words} ${shellWords(command)}`,
		"fi",
		`export ${HOST_RING}="\${why:-it failed without a word}"`,
		`exec ${shellWords(command)}`,
	];
	return ["/bin/sh", "-c", script.join("\n")];
}

/** Identifies the machine. It changes with a restart, and inside a container. */
export const machineNow = (bwrap: string): string =>
	JSON.stringify([
		fileText("/proc/sys/kernel/random/boot_id")?.trim(),
		...["user", "mnt"].map((kind) => readlinkSync(`/proc/self/ns/${kind}`)),
		process.getuid?.(),
		statSync(bwrap).mtimeMs,
	]);

function fileText(file: string): string | undefined {
	return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A program for trials. The PATH may not have `true`. */
export const DOES_NOTHING = ["/bin/sh", "-c", ":"];

/** Whether rings are available inside: with a `/proc` of their own, or with that of the system. */
export function nestedTrial(bwrap: string): string[] {
	const [ownProcesses, sharedProcesses] = [
		["--proc", "/proc"],
		["--bind", "/proc", "/proc"],
	].map((processes) =>
		shellWords([
			...[bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL"],
			...["--ro-bind", "/", "/", "--dev", "/dev", ...processes, "--", ...DOES_NOTHING],
		]),
	);
	return ["/bin/sh", "-c", `${ownProcesses} || ${sharedProcesses}`];
}
