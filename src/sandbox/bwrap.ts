import { type Mount, mountArguments } from "./mounts.ts";

/** What this machine's bubblewrap and kernel can do, as tried out. */
export interface RingAbilities {
	/** The program: bubblewrap, or sandbox-exec of macOS, for which nothing of the rest counts. */
	bwrap: string;
	/** Whether `/proc` can be one of the ring's own. */
	ownProcesses: boolean;
	/** Whether the ring can forbid further namespaces (bubblewrap 0.8). */
	forbidsNamespaces: boolean;
}

export interface RingOptions {
	abilities: RingAbilities;
	mounts: readonly Mount[];
	cwd: string;
	network: "off" | "on";
	/** Whether root runs it. */
	isRoot: boolean;
}

/** The descriptor on which bubblewrap finds the filter of system calls. */
export const FILTER_DESCRIPTOR = 9;

/**
 * bubblewrap's arguments for a ring. Without `--cap-drop`, root inside could mount anything again. An id other than root's
 * can be mapped inside another ring as well.
 */
export function bwrapArguments({ abilities, mounts, cwd, network, isRoot }: RingOptions): string[] {
	return [
		...["--seccomp", String(FILTER_DESCRIPTOR)],
		...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
		...(network === "off" ? ["--unshare-net"] : []),
		...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
		...(abilities.forbidsNamespaces ? ["--disable-userns"] : []),
		...(isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
		...mountArguments(mounts),
		...["--chdir", cwd],
	];
}
