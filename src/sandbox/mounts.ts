import { join, relative } from "node:path";
import { isInside } from "../files/project-area.ts";

/** What a path of a ring shows. `empty` is a folder with nothing in it, `blank` a file. */
export type Mount =
	| { at: string; as: "read-only" | "writable"; from: string }
	| { at: string; as: "empty" | "blank" | "devices" | "processes" };

/** Real paths that exist. */
export interface RingPaths {
	/** The folder that becomes `/tmp` inside. */
	tmp: string;
	/** Folders for temporary files and for sockets of programs outside. */
	tmpFolders: readonly string[];
	socketFolders: readonly string[];
	hiddenFolders: readonly string[];
	hiddenFiles: readonly string[];
	readable: readonly string[];
	writable: readonly string[];
	/**
	 * Files of a shared `/proc` with which root could change the whole machine. The ring's own `/proc` is entirely read-only.
	 */
	machineSettings: readonly string[];
	/** Whether `/proc` shows the processes of the ring alone. Some containers forbid that. */
	ownProcesses: boolean;
}

/**
 * The mounts of a ring, in the order of mounting. The deepest mount around a path decides: a tree below a hidden folder is
 * visible, but a hidden folder below a writable one is not. At the same path, hidden wins over writable, and writable over
 * readable.
 */
export function mountsFor(paths: RingPaths): Mount[] {
	const at = new Map<string, Mount>();
	const put = (mounts: Mount[]) => {
		for (const mount of mounts) at.set(mount.at, mount);
	};
	const bound = (as: "read-only" | "writable", folders: readonly string[]) =>
		folders.map((folder): Mount => ({ at: folder, as, from: folder }));
	put(bound("read-only", ["/"]));
	put([
		{ at: "/dev", as: "devices" },
		paths.ownProcesses ? { at: "/proc", as: "processes" } : { at: "/proc", as: "writable", from: "/proc" },
	]);
	put(bound("read-only", paths.machineSettings));
	put(paths.tmpFolders.map((folder) => ({ at: folder, as: "writable", from: paths.tmp })));
	put(paths.socketFolders.map((folder) => ({ at: folder, as: "empty" })));
	put(bound("read-only", paths.readable));
	put(bound("writable", paths.writable));
	put(paths.hiddenFolders.map((folder) => ({ at: folder, as: "empty" })));
	put(paths.hiddenFiles.map((file) => ({ at: file, as: "blank" })));
	const inOrder = [...at.values()]
		.map((mount) => ({ mount, depth: depth(mount.at) }))
		.sort((a, b) => a.depth - b.depth || (a.mount.at < b.mount.at ? -1 : 1));
	return withoutRepeats(
		inOrder.map(({ mount }) => mount),
		new Set([...paths.readable, ...paths.writable]),
	);
}

/**
 * Omits mounts that change nothing: something hidden in a hidden folder, or a folder that the mount around it already shows
 * in the same way. bubblewrap reads the list of all mounts again for each one, a quarter of a millisecond even with few of
 * them. A hidden folder that was requested as visible must exist: commands may start there.
 */
function withoutRepeats(mounts: readonly Mount[], asked: ReadonlySet<string>): Mount[] {
	const needed: Mount[] = [];
	for (const mount of mounts) {
		const around = needed.findLast(({ at }) => mount.at.startsWith(at === "/" ? at : `${at}/`));
		const isHiddenAnyway = isHiding(mount) && around?.as === "empty" && !asked.has(mount.at);
		if (!isHiddenAnyway && !(around && showsTheSame(around, mount))) needed.push(mount);
	}
	return needed;
}

const isHiding = ({ as }: Mount): boolean => as === "empty" || as === "blank";

const showsTheSame = (around: Mount, mount: Mount): boolean =>
	"from" in around &&
	"from" in mount &&
	around.as === mount.as &&
	join(around.from, relative(around.at, mount.at)) === mount.from;

/**
 * Closes hidden folders last, once everything below them is mounted, and then `/proc`, where a process of root's ring owns the
 * settings of the machine.
 */
export const mountArguments = (mounts: readonly Mount[]): string[] => [
	...mounts.flatMap(toArguments),
	...mounts.flatMap(({ at, as }) => (as === "empty" || as === "processes" ? ["--remount-ro", at] : [])),
];

function toArguments(mount: Mount): string[] {
	switch (mount.as) {
		case "read-only":
			return ["--ro-bind", mount.from, mount.at];
		case "writable":
			return ["--bind", mount.from, mount.at];
		case "empty":
			return ["--tmpfs", mount.at];
		case "blank":
			return ["--ro-bind", "/dev/null", mount.at];
		case "devices":
			return ["--dev", mount.at];
		case "processes":
			return ["--proc", mount.at];
	}
}

/** The path outside of a path in the ring. Undefined if it is hidden, or exists only inside. */
export function outsidePath(mounts: readonly Mount[], path: string): string | undefined {
	const mount = deepest(mounts, path);
	if (!mount || !("from" in mount) || mount.at === "/proc") return undefined;
	return join(mount.from, relative(mount.at, path));
}

/** Whether the ring shows a real path of the outside, at any path. */
export const isShown = (mounts: readonly Mount[], real: string): boolean =>
	mounts.some((mount) => {
		if (!("from" in mount) || mount.at === "/proc" || !isInside(mount.from, real)) return false;
		return deepest(mounts, join(mount.at, relative(mount.from, real))) === mount;
	});

const deepest = (mounts: readonly Mount[], path: string): Mount | undefined =>
	mounts.findLast(({ at }) => isInside(at, path));

const depth = (path: string): number => path.split("/").filter((part) => part !== "").length;
