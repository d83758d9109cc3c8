import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type ExistingPlace, existing } from "./existing.ts";

/** A line of `/proc/self/mountinfo`. */
interface MountedFolder {
	device: string;
	/** The folder of that device that is mounted. */
	root: string;
	at: string;
}

/**
 * The same files and folders at other paths: a folder may be mounted twice. On some systems the home folder is, since it is
 * part of a larger volume that is mounted as a whole.
 */
export function alsoAt(places: readonly ExistingPlace[], mounted = mountedFolders()): ExistingPlace[] {
	const isRepeated = (one: MountedFolder) => mounted.some((other) => other !== one && other.device === one.device);
	const repeated = mounted.filter(isRepeated);
	if (repeated.length === 0) return [];
	return places.flatMap((place) => {
		const deepest = deepestAround(place.path, mounted);
		const around = mounted.findLast(({ at }) => at === deepest);
		if (!around) return [];
		const onDevice = join(around.root, relative(around.at, place.path));
		const others = repeated
			.filter(({ device, root }) => device === around.device && holds(root, onDevice))
			.map(({ root, at }) => join(at, relative(root, onDevice)))
			.filter((path) => path !== place.path);
		// Something else may be mounted over it.
		return existing(others).filter(({ stats: { dev, ino } }) => dev === place.stats.dev && ino === place.stats.ino);
	});
}

const deepestAround = (path: string, mounted: readonly MountedFolder[]): string =>
	mounted.reduce((deepest, { at }) => (at.length > deepest.length && holds(at, path) ? at : deepest), "/");

/** Without the cost of resolving paths: all of these are absolute and have no `..`. */
const holds = (folder: string, path: string): boolean =>
	path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);

/** The last one at a path is the one that is seen there. */
function mountedFolders(): MountedFolder[] {
	if (process.platform !== "linux") return [];
	return readFileSync("/proc/self/mountinfo", "utf8")
		.split("\n")
		.flatMap((line) => {
			const [, , device, root, at] = line.split(" ");
			return device === undefined || root === undefined || at === undefined
				? []
				: [{ device, root: unescaped(root), at: unescaped(at) }];
		});
}

/** Spaces and the like are written as octal numbers. */
const unescaped = (path: string): string =>
	path.replace(/\\(\d{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
