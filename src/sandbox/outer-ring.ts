import { shellWords } from "./quote.ts";

/** The ring around a host. All paths are real ones that exist. */
export interface OuterRing {
	bwrap: string;
	/** What it may write. All else is read-only. */
	writable: readonly string[];
	/** Files and folders that are seen at another place as well, read-only and in this order. */
	shown: readonly { from: string; at: string }[];
	env: Readonly<Record<string, string>>;
	/** Whether root runs it. */
	isRoot: boolean;
}

/** By this variable a host knows of its ring: `kernel` and the programs that stand in for others, or why it has none. */
export const HOST_RING = "PI_GEON_HOST_RING";
export const ENFORCED = "kernel";

/**
 * bubblewrap's arguments for a host. It keeps the pids and the network of the machine: others know it by its pid, and it
 * asks models. `/proc` must be writable, or no ring inside could say which user it runs as. Nor can one inside of root's
 * ring be root: so root is another user there.
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

/**
 * A shell script that runs a command in the ring, or without where there can be none. It is tried first, with a ring inside
 * as tools need it: rather a host without a ring than tools without one. No process is left but the command's own, and the
 * one by which bubblewrap waits for it.
 */
export function ringedScript(ring: OuterRing, command: readonly string[]): string {
	const words = shellWords([ring.bwrap, ...outerRingArguments(ring), "--"]);
	return [
		`if why=$(${words} ${shellWords(nestedTrial(ring.bwrap))} 2>&1); then exec ${words} ${shellWords(command)}; fi`,
		`export ${HOST_RING}="\${why:-it failed without a word}"`,
		`exec ${shellWords(command)}`,
	].join("\n");
}

/** Whether rings can be had inside: with a `/proc` of their own, or with that of the system. */
export function nestedTrial(bwrap: string): string[] {
	const [ownProcesses, sharedProcesses] = [
		["--proc", "/proc"],
		["--bind", "/proc", "/proc"],
	].map((processes) =>
		shellWords([
			...[bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL"],
			...["--ro-bind", "/", "/", "--dev", "/dev", ...processes, "--", "true"],
		]),
	);
	return ["/bin/sh", "-c", `${ownProcesses} || ${sharedProcesses}`];
}
