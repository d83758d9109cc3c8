import { type Mount, mountArguments } from "./mounts.ts";

/** What this machine's bubblewrap and kernel can do, according to a test. */
export interface RingAbilities {
	/** The program: bubblewrap, or sandbox-exec on macOS, to which the other fields do not apply. */
	bwrap: string;
	/** Whether the ring can have its own `/proc`. */
	ownProcesses: boolean;
	/** Whether the ring can forbid further namespaces (bubblewrap 0.8). */
	forbidsNamespaces: boolean;
}

/** What processes of a ring may reach. `allowlist`: the hosts that a proxy outside allows. */
export type RingNetwork = "off" | "on" | "allowlist";

export interface RingOptions {
	abilities: RingAbilities;
	/** The descriptor on which bubblewrap finds the filter of system calls. */
	filter: number;
	mounts: readonly Mount[];
	cwd: string;
	network: RingNetwork;
	/** Whether root runs it. */
	isRoot: boolean;
}

/**
 * bubblewrap's arguments for a ring. Without `--cap-drop`, root inside could mount anything again. Unlike root's id, another
 * id can also be mapped inside another ring.
 */
export function bwrapArguments({ abilities, filter, mounts, cwd, network, isRoot }: RingOptions): string[] {
	return [
		...["--seccomp", String(filter)],
		...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
		// The network of an allow-list is outside the ring.
		...(network === "off" ? ["--unshare-net"] : []),
		...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
		...(abilities.forbidsNamespaces ? ["--disable-userns"] : []),
		...(isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
		...mountArguments(mounts),
		...["--chdir", cwd],
	];
}

/** The port on loopback, inside the network that `networkCommand` makes. */
const PROXY_PORT = 3128;

export const PROXY_ADDRESS = `http://127.0.0.1:${PROXY_PORT}`;

/**
 * The command that runs another one in a network with only loopback, where a forwarder listens. Nothing else is isolated
 * there: the ring is made inside it, and forbids the unix socket that the forwarder needs.
 */
export const networkCommand = (options: {
	bwrap: string;
	isRoot: boolean;
	/** The folder with the socket. The forwarder starts there: a path may be too long for a socket. */
	scratch: string;
	forwarder: readonly string[];
	socket: string;
	command: readonly string[];
}): string[] => [
	options.bwrap,
	...["--unshare-user", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL"],
	...(options.isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
	...["--dev-bind", "/", "/", "--chdir", options.scratch, "--"],
	...[...options.forwarder, String(PROXY_PORT), options.socket],
	...options.command,
];
