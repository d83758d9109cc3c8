import { chmodSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { bwrapArguments, networkCommand, type RingAbilities, type RingNetwork } from "./bwrap.ts";
import { ringEnvironment } from "./environment.ts";
import { type ExistingPlace, existing, existingOnly, isFolder, isOpenToUs, realPathsOf } from "./existing.ts";
import { filterFile, openFilter } from "./filter.ts";
import { HIDDEN_OF_THE_MACHINE, hiddenByVariables, hiddenInHomes } from "./hidden.ts";
import { alsoAt } from "./mounted-twice.ts";
import { type Mount, mountsFor } from "./mounts.ts";
import { PROXY_SOCKET } from "./proxy-socket.ts";
import { shellWords } from "./quote.ts";
import { SANDBOX_EXEC, seatbeltCommand } from "./seatbelt.ts";

export interface RingSetup {
	abilities: RingAbilities;
	/** Where commands start. */
	cwd: string;
	/** What may be written, besides the ring's own `/tmp`. */
	writable: readonly string[];
	/** What stays visible inside a folder that is hidden, or replaced like `/tmp`. */
	readable: readonly string[];
	/** Paths to hide on top of the defaults. */
	hidden: readonly string[];
	/** A folder of the run, hidden inside the ring; the ring's `/tmp` is in it. */
	scratch: string;
	/** With `allowlist`, a proxy must have been started for the ring. */
	network: RingNetwork;
	/** Whether unix sockets of programs outside can be used. */
	sockets: boolean;
	/** Variables that are passed on besides the usual ones. */
	env: readonly string[];
}

/**
 * A boundary around processes that the kernel enforces: they can see and write only what the run may, and nothing of
 * pi-geon's. Each command that is started in a ring gets its own namespaces, with the same folders.
 */
export interface Ring {
	readonly setup: RingSetup;
	/** How many commands and writes it has denied. */
	denials: number;
	/** The hosts that its processes tried to reach but may not, in order. */
	readonly refused: string[];
}

/** Prepares the folders of a ring. Does not start anything. */
export function openRing(setup: RingSetup): Ring {
	mkdirSync(tmpOf(setup), { recursive: true, mode: 0o700 });
	// An earlier attempt may have created the folder with another umask.
	chmodSync(setup.scratch, 0o700);
	return { setup: { ...setup, cwd: realPath(setup.cwd) }, denials: 0, refused: [] };
}

/**
 * The command that runs another one in a ring. A shell opens the filter, which bubblewrap reads from a descriptor, so that
 * any code that starts programs can use this.
 */
export function ringCommand(ring: Ring, command: readonly string[], cwd = ring.setup.cwd): string[] {
	const { abilities, network, sockets, scratch } = ring.setup;
	if (isSeatbelt(ring.setup)) return seatbeltCommand({ mounts: ringMounts(ring), network, sockets }, cwd, command);
	const inRing = bwrapCommand(ring, command, { cwd, filter: SHELL_DESCRIPTOR });
	const ringed = ["/bin/sh", "-c", OPEN_FILTER, "sh", filterFile(ring), ...inRing];
	if (network !== "allowlist") return ringed;
	const forwarder = [process.execPath, FORWARDER];
	const { bwrap } = abilities;
	return networkCommand({ bwrap, isRoot: isRoot(), scratch, forwarder, socket: PROXY_SOCKET, command: ringed });
}

/** A command and the descriptors to start it with, besides the usual three. */
export interface DirectCommand {
	command: string[];
	descriptors: number[];
}

/** Like `ringCommand`, without the shell if possible, for callers that can pass on a descriptor. They close it. */
export function directRingCommand(ring: Ring, command: readonly string[], cwd = ring.setup.cwd): DirectCommand {
	if (!isBwrapAlone(ring.setup)) return { command: ringCommand(ring, command, cwd), descriptors: [] };
	return { command: bwrapCommand(ring, command, { cwd, filter: 3 }), descriptors: [openFilter(ring)] };
}

function bwrapCommand(
	ring: Ring,
	command: readonly string[],
	{ cwd, filter }: { cwd: string; filter: number },
): string[] {
	const { abilities, network } = ring.setup;
	const args = bwrapArguments({ abilities, filter, mounts: ringMounts(ring), cwd, network, isRoot: isRoot() });
	return [abilities.bwrap, ...args, "--", ...command];
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** The script beside the code that starts it. */
const FORWARDER = fileURLToPath(
	new URL(import.meta.url.endsWith(".ts") ? "./forwarder.ts" : "./ring-forwarder.js", import.meta.url),
);

/**
 * Like `ringCommand`, for a program that other code starts with all of our environment: first removes the variables that a
 * ring does not pass on. `given` are variables that this code sets for the program.
 */
export const ringCommandFrom = (
	ring: Ring,
	command: readonly string[],
	{ cwd, given }: { cwd: string; given: string[] },
): string[] => [...cleanedFor(ring, given), ...ringCommand(ring, command, realPath(cwd))];

/** A script for a shell that other code has started. It runs the shell's arguments in the ring. */
export function ringScript(ring: Ring): string {
	const { cwd } = ring.setup;
	const isAlone = isBwrapAlone(ring.setup);
	const command = isAlone ? bwrapCommand(ring, [], { cwd, filter: SHELL_DESCRIPTOR }) : ringCommand(ring, []);
	const opening = isAlone ? [`exec ${SHELL_DESCRIPTOR}<${shellWords([filterFile(ring)])}`] : [];
	const { removed, changed } = otherInside(ring, []);
	// The shell itself removes variables if their names are valid in a shell, which saves a process for each search.
	const [named, others] = [removed.filter(isShellName), removed.filter((name) => !isShellName(name))];
	return [
		...opening,
		...(named.length > 0 ? [`unset ${named.join(" ")}`] : []),
		...changed.map(([name, value]) => `export ${name}=${shellWords([value])}`),
		`exec ${shellWords([...(others.length > 0 ? withoutVariables(others) : []), ...command])} "$@"`,
		"",
	].join("\n");
}

const isShellName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !SHELLS_OWN.has(name);

/** Names that some shells cannot unset. */
const SHELLS_OWN = new Set(["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"]);

const withoutVariables = (names: readonly string[]): string[] => [
	"/usr/bin/env",
	...names.flatMap((name) => ["-u", name]),
];

function cleanedFor(ring: Ring, given: readonly string[]): string[] {
	const { removed, changed } = otherInside(ring, given);
	return [...withoutVariables(removed), ...changed.map(([name, value]) => `${name}=${value}`)];
}

/** Our variables that a ring does not pass on, and those that the ring sets. */
function otherInside(ring: Ring, given: readonly string[]): { removed: string[]; changed: [string, string][] } {
	const inside = environmentIn(ring, process.env);
	return {
		removed: Object.keys(process.env).filter((name) => !(name in inside) && !given.includes(name)),
		changed: Object.entries(inside).flatMap(([name, value = ""]): [string, string][] =>
			value !== process.env[name] && (name === "TMPDIR" || !given.includes(name)) ? [[name, value]] : [],
		),
	};
}

const isSeatbelt = ({ abilities }: RingSetup): boolean => abilities.bwrap === SANDBOX_EXEC;

/** With a list of hosts, a forwarder starts the ring, because the ring's network is made outside it. */
const isBwrapAlone = (setup: RingSetup): boolean => !isSeatbelt(setup) && setup.network !== "allowlist";

const SHELL_DESCRIPTOR = 9;
const OPEN_FILTER = `exec ${SHELL_DESCRIPTOR}<"$1"; shift; exec "$@"`;

export const environmentIn = ({ setup }: Ring, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
	ringEnvironment(env, {
		names: setup.env,
		network: setup.network,
		sockets: setup.sockets,
		tmp: tmpInside(setup),
	});

/** The path of the folder for temporary files inside the ring. */
export const tmpInside = (setup: RingSetup): string => (isSeatbelt(setup) ? realPath(tmpOf(setup)) : "/tmp");

/**
 * Folders of programs, which a ring shows even if it replaces the folder around them: the Node that pi runs on, and the PATH.
 * For a `.bin`, the folder around it, because links in it lead to the packages beside it.
 */
const placesOfPrograms = (): string[] => [
	process.execPath,
	...(process.env.PATH ?? "")
		.split(delimiter)
		.filter((entry) => isAbsolute(entry))
		.map((entry) => (basename(entry) === ".bin" ? dirname(entry) : entry)),
];

/** Computed each time: a path to hide may exist by then, and bubblewrap fails if a path is gone. */
export function ringMounts({ setup }: Ring): Mount[] {
	const { abilities, cwd, writable, readable, hidden, sockets, network } = setup;
	const home = realPath(process.env.HOME || homedir());
	const own = realPath(tmpOf(setup));
	// macOS has no mounts for a ring: there, the folders for temporary files are hidden, and another one replaces them.
	const noMounts = isSeatbelt(setup);
	const tmpFolders = existingOnly(["/tmp", "/var/tmp"]);
	const socketFolders = sockets ? [] : existingOnly(["/run", "/var/run"]);
	const replaced = [...tmpFolders, ...socketFolders];
	const isReplaced = (path: string) => replaced.some((folder) => isInside(folder, path));
	const [shown, written] = [existingOnly([cwd, ...readable]), existingOnly(writable)];
	// A folder for temporary files stays replaced even if it is on the PATH, and writable paths stay writable.
	const programs = existingOnly(placesOfPrograms()).filter(
		(path) =>
			isReplaced(path) && !replaced.includes(path) && ![...shown, ...written].some((folder) => isInside(folder, path)),
	);
	// A history may be /dev/null, and a variable may name a folder that contains far more than secrets.
	const isOnlySecret = ({ path, stats }: ExistingPlace) =>
		stats.isFile() || (stats.isDirectory() && ![home, ...shown, ...written].some((inner) => isInside(path, inner)));
	const masked = withOtherPaths([
		...existing([...hiddenInHomes(), ...hidden]),
		...existing(hiddenByVariables(process.env)).filter(isOnlySecret),
		...existing(HIDDEN_OF_THE_MACHINE).filter((place) => noMounts || isRoot() || isOpenToUs(place)),
	]);
	function withOtherPaths(places: ExistingPlace[]): ExistingPlace[] {
		const others = alsoAt(places);
		return [...places, ...others.filter(({ path }) => ![...shown, ...written].some((inner) => isInside(path, inner)))];
	}
	return mountsFor({
		tmp: own,
		tmpFolders: noMounts ? [] : tmpFolders,
		socketFolders: noMounts ? [] : socketFolders,
		hiddenFolders: [...realPathsOf(masked.filter(isFolder)), ...(noMounts ? tmpFolders : [])],
		hiddenFiles: realPathsOf(masked.filter((place) => !isFolder(place))),
		readable: [
			...shown,
			...programs,
			...(isReplaced(home) ? existingOnly([home]) : []),
			...(network === "on" ? existingOnly(["/etc/resolv.conf"]).filter(isReplaced) : []),
		],
		writable: [...written, ...(noMounts ? [own] : [])],
		machineSettings: abilities.ownProcesses ? [] : existingOnly(MACHINE_SETTINGS),
		ownProcesses: abilities.ownProcesses,
	});
}

/** The real paths that a ring hides, for what is read outside it on behalf of a child. */
export const hiddenPaths = (ring: Ring): string[] =>
	ringMounts(ring).flatMap(({ at, as }) => (as === "empty" || as === "blank" ? [at] : []));

const MACHINE_SETTINGS = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];

/** The folder for temporary files of a ring. */
export const tmpOf = ({ scratch }: RingSetup): string => join(scratch, "tmp");
