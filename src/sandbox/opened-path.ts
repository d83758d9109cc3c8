import { fstatSync, readlinkSync, realpathSync, statSync } from "node:fs";

/** The real path of an open file, by which it is known whatever the way to it was. `asked`: the path that was opened. */
export function pathOfDescriptor(descriptor: number, asked: string): string {
	if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${descriptor}`);
	// Elsewhere nothing tells it. The path is taken for right if it leads to this very file.
	const real = realpathSync(asked);
	const [opened, found] = [fstatSync(descriptor), statSync(real)];
	if (opened.dev !== found.dev || opened.ino !== found.ino)
		throw new Error(`${asked} has changed while it was opened.`);
	return real;
}

/** A path by which an open file can be opened again. */
export const pathOfOpened = (descriptor: number, real: string): string =>
	process.platform === "linux" ? `/proc/self/fd/${descriptor}` : real;
