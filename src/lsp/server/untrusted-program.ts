import { isForeign, unknownOwner } from "../../files/owner.ts";
import { isInArea } from "../../files/project-area.ts";
import { type Step, wayTo } from "../../files/way.ts";

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/** Whether the project decides what a program is: the program, or a link on the path to it, is in the project. */
export function projectObjection(program: string, area: readonly string[]): string | undefined {
	if (isInArea(area, program)) return "it is in the project";
	const way = wayTo(program);
	if (!way) return "it cannot be followed to a file";
	return way.some(({ path }) => isInArea(area, path)) ? "it leads into the project" : undefined;
}

/**
 * Why a program or folder that was found may not be used in an untrusted project; undefined if it may. Every
 * folder and link on the way to it counts: a user who can change one of them chooses the program.
 */
export function objectionTo(path: string, area: readonly string[]): string | undefined {
	return projectObjection(path, area) ?? wayTo(path)?.flatMap((step) => ownerObjection(step) ?? [])[0];
}

/** Why a folder of programs may not be used. Others could put new programs there, so a sticky bit does not help. */
export function objectionToFolder(folder: string, area: readonly string[]): string | undefined {
	const objection = objectionTo(folder, area);
	if (objection !== undefined) return objection;
	const last = wayTo(folder)?.at(-1);
	return last && mayBeWrittenByOthers(last) ? `all users can write to ${last.path}` : undefined;
}

function ownerObjection(step: Step): string | undefined {
	const { path, stats } = step;
	if (isForeign(stats) && stats.uid !== unknownOwner()) return `${path} belongs to another user (uid ${stats.uid})`;
	if (stats.isSymbolicLink() || !mayBeWrittenByOthers(step)) return undefined;
	// In /tmp and the like, all users may add files, and only owners may replace theirs.
	const keepsOwners = stats.isDirectory() && (stats.mode & STICKY) !== 0;
	return keepsOwners ? undefined : `all users can write to ${path}`;
}

/** Windows does not report owners or write permissions. */
const mayBeWrittenByOthers = ({ stats }: Step): boolean =>
	process.getuid !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0;
