import { ESCAPE } from "./mask.ts";

/**
 * Writes `~` for the home directory. Only whole path components count: `/home/al` is neither in `/home/alice` nor in
 * `/mnt/home/al`. A flag such as `-I/home/al/include` counts as a beginning.
 */
export function createHomeShortener(homeDir: string): (text: string) => string {
	const home = homeDir.replace(/[\\/]+$/, "");
	if (home.length < 3) return (text) => text;
	const forms = [...new Set(pathForms(home))].sort((a, b) => b.length - a.length);
	const isWindows = /^[A-Za-z]:/.test(home);
	const before = String.raw`(?:(?<![\w.~-])|(?<=(?:^|[\s"'])-[A-Za-z])|(?<=${ESCAPE}))`;
	// A drive's path in a file URL has a slash before it that is no part of the path.
	const drive = isWindows ? String.raw`(?:(?<=file:\/\/)\/)?` : "";
	const after = String.raw`(?![\w-]|\.\w)`;
	const pattern = new RegExp(
		`${before}${drive}(?:${forms.map(escapePattern).join("|")})${after}`,
		isWindows ? "gi" : "g",
	);
	return (text) => text.replace(pattern, "~");
}

function pathForms(home: string): string[] {
	const slashes = home.replaceAll("\\", "/");
	const drive = /^([A-Za-z]):(.*)$/.exec(slashes);
	const forms = [
		home,
		home.replaceAll("\\", "\\\\"),
		home.replaceAll("\\", "\\\\\\\\"),
		slashes,
		encodeURI(slashes.toWellFormed()),
	];
	return drive === null ? forms : [...forms, `/${drive[1]?.toLowerCase()}${drive[2]}`];
}

function escapePattern(literal: string): string {
	return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
