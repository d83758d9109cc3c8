import { fstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The real path of an open file, no matter which links led to it. `asked`: the path that was opened. */
export function pathOfDescriptor(descriptor: number, asked: string): string {
	if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${descriptor}`);
	// Other systems do not report it. The path counts if it leads to the same file.
	const real = realpathSync(asked);
	const [opened, found] = [fstatSync(descriptor), statSync(real)];
	if (opened.dev !== found.dev || opened.ino !== found.ino)
		throw new Error(`${asked} has changed while it was opened.`);
	return real;
}

/** A path by which an open file can be opened again. */
export const pathOfOpened = (descriptor: number, real: string): string =>
	process.platform === "linux" ? `/proc/self/fd/${descriptor}` : real;

/** As many as the kernel follows. */
const LINKS_FOLLOWED = 40;

/** Where a path leads that cannot be opened. Follows its links. */
export function whereItLeads(path: string, links = 0): string {
	const above = dirname(path);
	if (above === path || links > LINKS_FOLLOWED) return path;
	const folder = whereItLeads(above, links);
	const target = linkAt(join(folder, basename(path)));
	return target === undefined ? join(folder, basename(path)) : whereItLeads(resolve(folder, target), links + 1);
}

function linkAt(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It is not a link, or does not exist.
		throw error;
	}
}
