import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** A folder, link or file that the system passes on its way to a path. */
export interface Step {
	path: string;
	stats: Stats;
}

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/**
 * Everything that decides where a path ends: each folder and each link in order, and finally the real target. `realpath`
 * would hide the links in between, but a user who may change one of them decides where the path leads. Undefined if it leads
 * nowhere.
 */
export function wayTo(path: string): Step[] | undefined {
	const absolute = unresolved(path);
	const { root } = parse(absolute);
	const steps: Step[] = [];
	let here = root;
	let links = 0;
	const ahead = partsOf(absolute.slice(root.length));
	try {
		for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
			if (part === "..") {
				here = dirname(here);
				continue;
			}
			const next = join(here, part);
			const stats = lstatSync(next);
			steps.push({ path: next, stats });
			if (!stats.isSymbolicLink()) {
				here = next;
				continue;
			}
			if (++links > MOST_LINKS) return undefined;
			const target = readlinkSync(next);
			const targetRoot = parse(target).root;
			if (targetRoot !== "") here = targetRoot;
			ahead.unshift(...partsOf(target.slice(targetRoot.length)));
		}
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
	return steps;
}

/** The absolute path with its `..`: the system follows a link before it applies the `..` after it. Windows does not. */
function unresolved(path: string): string {
	if (sep === "\\") return resolve(path);
	return isAbsolute(path) ? path : `${process.cwd()}/${path}`;
}

const partsOf = (path: string): string[] =>
	path.split(sep === "\\" ? /[\\/]/ : "/").filter((part) => part !== "" && part !== ".");
