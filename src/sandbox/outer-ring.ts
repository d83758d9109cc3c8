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

/** With this variable a host knows of its ring: `kernel` and the replaced programs, or why it has no ring. */
export const HOST_RING = "PI_GEON_HOST_RING";
export const ENFORCED = "kernel";

/**
 * bubblewrap's arguments for a host. It keeps the pids and the network of the machine: others know it by its pid, and it
 * sends requests to models. `/proc` must be writable, or no ring inside could set which user it runs as. A ring inside
 * root's ring cannot be root either, so root is another user there.
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
 * A command that runs another one in the ring, or without one where none works. It tests the ring first, with another ring
 * inside as tools need it: a host without a ring is better than tools without one. While there is proof, it skips the test,
 * which takes more time than the ring. No process remains but the command's own, and the one with which bubblewrap waits
 * for it.
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

/** A machine counts as another one after a restart, and inside a container. */
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

/** A program for trials. `true` would be looked for on a PATH that may not have it. */
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
