import { chmodSync, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { bwrapArguments, FILTER_DESCRIPTOR, networkCommand, type RingAbilities, type RingNetwork } from "./bwrap.ts";
import { ringEnvironment } from "./environment.ts";
import { hiddenByDefault } from "./hidden.ts";
import { type Mount, mountsFor } from "./mounts.ts";
import { PROXY_SOCKET } from "./proxy-socket.ts";
import { SANDBOX_EXEC, seatbeltCommand } from "./seatbelt.ts";
import { socketFilter } from "./seccomp.ts";

export interface RingSetup {
	abilities: RingAbilities;
	/** Where commands start. */
	cwd: string;
	/** What may be written besides the ring's own `/tmp`. */
	writable: readonly string[];
	/** What stays visible although it lies in a folder that is hidden, or replaced like `/tmp`. */
	readable: readonly string[];
	/** On top of what is hidden by default. */
	hidden: readonly string[];
	/** A folder of the run's own, hidden inside; the ring's `/tmp` is in it. */
	scratch: string;
	/** With `allowlist`, a proxy must have been started for the ring. */
	network: RingNetwork;
	/** Whether unix sockets of programs outside can be used. */
	sockets: boolean;
	/** Variables that are passed on besides the usual ones. */
	env: readonly string[];
}

/**
 * A boundary around processes, which the kernel keeps: they see and write what the run may, and nothing of pi-geon's. Every
 * process that is started in it gets one of its own, with the same folders.
 */
export interface Ring {
	readonly setup: RingSetup;
	/** The file with the filter of system calls. */
	readonly filter: string;
	/** How many commands and writes it has denied something. */
	denials: number;
	/** Hosts that its processes wanted to reach and were not allowed to, in the order in which they did. */
	readonly refused: string[];
}

/** Prepares the folders of a ring. Nothing is started. */
export function openRing(setup: RingSetup): Ring {
	const { scratch, sockets } = setup;
	const filter = join(scratch, sockets ? "sockets.bpf" : "no-sockets.bpf");
	const program = socketFilter({ sockets });
	if (!program) throw new Error(`There is no filter of system calls for ${process.arch}.`);
	mkdirSync(tmpOf(setup), { recursive: true, mode: 0o700 });
	// A folder from an earlier attempt: whatever the umask was then.
	chmodSync(scratch, 0o700);
	writeFileSync(filter, program, { mode: 0o600 });
	return { setup: { ...setup, cwd: realPath(setup.cwd) }, filter, denials: 0, refused: [] };
}

/**
 * The command that runs another one in a ring. The shell only opens the filter for bubblewrap, which takes it from a
 * descriptor: so any code that starts programs can start one in a ring.
 */
export function ringCommand(ring: Ring, command: readonly string[], cwd = ring.setup.cwd): string[] {
	const { abilities, network, sockets } = ring.setup;
	if (isSeatbelt(ring.setup)) return seatbeltCommand({ mounts: ringMounts(ring), network, sockets }, cwd, command);
	const isRoot = process.getuid?.() === 0;
	const args = bwrapArguments({ abilities, mounts: ringMounts(ring), cwd, network, isRoot });
	const ringed = ["/bin/sh", "-c", OPEN_FILTER, "sh", ring.filter, abilities.bwrap, ...args, "--", ...command];
	if (network !== "allowlist") return ringed;
	const forwarder = [process.execPath, FORWARDER];
	const { scratch } = ring.setup;
	return networkCommand({ bwrap: abilities.bwrap, isRoot, scratch, forwarder, socket: PROXY_SOCKET, command: ringed });
}

/** Beside the chunk that starts it. */
const FORWARDER = fileURLToPath(
	new URL(import.meta.url.endsWith(".ts") ? "./forwarder.ts" : "./ring-forwarder.js", import.meta.url),
);

/**
 * The same for a program that others start, with an environment that holds all of ours: what a ring does not pass on is
 * taken away before. `given` are variables that they set for it.
 */
export function ringCommandFrom(
	ring: Ring,
	command: readonly string[],
	options: { cwd: string; given: string[] },
): string[] {
	const inside = environmentIn(ring, process.env);
	const removed = Object.keys(process.env).filter((name) => !(name in inside) && !options.given.includes(name));
	const changed = Object.entries(inside).filter(
		([name, value]) => value !== process.env[name] && (name === "TMPDIR" || !options.given.includes(name)),
	);
	const clean = [
		"/usr/bin/env",
		...removed.flatMap((name) => ["-u", name]),
		...changed.map(([name, value]) => `${name}=${value}`),
	];
	return [...clean, ...ringCommand(ring, command, realPath(options.cwd))];
}

const isSeatbelt = ({ abilities }: RingSetup): boolean => abilities.bwrap === SANDBOX_EXEC;

const OPEN_FILTER = `exec ${FILTER_DESCRIPTOR}<"$1"; shift; exec "$@"`;

export const environmentIn = ({ setup }: Ring, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
	ringEnvironment(env, {
		names: setup.env,
		network: setup.network,
		sockets: setup.sockets,
		tmp: tmpInside(setup),
	});

/** What the folder for temporary files is called inside. */
export const tmpInside = (setup: RingSetup): string => (isSeatbelt(setup) ? realPath(tmpOf(setup)) : "/tmp");

/**
 * Where programs are, which a ring shows even where it has another folder in place of what they lie in: the Node that pi
 * runs on, and what is on the PATH. Links in a `.bin` lead to the packages beside it.
 */
const placesOfPrograms = (): string[] => [
	process.execPath,
	...(process.env.PATH ?? "")
		.split(delimiter)
		.filter((entry) => isAbsolute(entry))
		.map((entry) => (basename(entry) === ".bin" ? dirname(entry) : entry)),
];

/** Looked up each time: bubblewrap refuses to start if one of the paths is gone. */
export function ringMounts({ setup }: Ring): Mount[] {
	const { abilities, cwd, writable, readable, hidden, sockets, network } = setup;
	const home = realPath(process.env.HOME || homedir());
	const own = realPath(tmpOf(setup));
	// macOS has no mounts of its own for a ring: the folders for temporary files are hidden there, and another is used.
	const noMounts = isSeatbelt(setup);
	const tmpFolders = existingOnly(["/tmp", "/var/tmp"]);
	const socketFolders = sockets ? [] : existingOnly(["/run", "/var/run"]);
	const replaced = [...tmpFolders, ...socketFolders];
	const isReplaced = (path: string) => replaced.some((folder) => isInside(folder, path));
	const shown = existingOnly([cwd, ...readable, ...writable]);
	// Not all temporary files, if their folder itself is on the PATH; and what may be written stays writable.
	const programs = existingOnly(placesOfPrograms()).filter(
		(path) => isReplaced(path) && !replaced.includes(path) && !shown.some((folder) => isInside(folder, path)),
	);
	const masked = existingOnly([...hiddenByDefault(home), ...hidden]);
	return mountsFor({
		tmp: own,
		tmpFolders: noMounts ? [] : tmpFolders,
		socketFolders: noMounts ? [] : socketFolders,
		hiddenFolders: [...masked.filter(isFolder), ...(noMounts ? tmpFolders : [])],
		hiddenFiles: masked.filter((path) => !isFolder(path)),
		readable: [
			...existingOnly([cwd, ...readable]),
			...programs,
			...(isReplaced(home) ? existingOnly([home]) : []),
			...(network === "on" ? existingOnly(["/etc/resolv.conf"]).filter(isReplaced) : []),
		],
		writable: [...existingOnly(writable), ...(noMounts ? [own] : [])],
		machineSettings: existingOnly(["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"]),
		ownProcesses: abilities.ownProcesses,
	});
}

/** The folder for temporary files of a ring. */
export const tmpOf = ({ scratch }: RingSetup): string => join(scratch, "tmp");

/** The real paths of those that exist, links followed: bubblewrap cannot mount over a link. */
export function existingOnly(paths: readonly string[]): string[] {
	const found = paths.flatMap((path) => {
		try {
			// Asked first: most of them do not exist, and an error that is thrown takes far longer than an answer.
			return existsSync(path) ? [realpathSync(resolve(path))] : [];
		} catch (error) {
			if (error instanceof Error && "code" in error) return []; // It has gone, or may not be looked at.
			throw error;
		}
	});
	return [...new Set(found)];
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
