import { ESCAPE } from "./mask.ts";

const BEFORE = String.raw`(?:(?<![\w.~-])|(?<=(?:^|[\s"'])-[A-Za-z])|(?<=${ESCAPE}))`;
const AFTER = String.raw`(?![\w-]|\.\w)`;
/** A drive's path in a file URL has a slash before it that is no part of the path. */
const FILE_URL = String.raw`(?:(?<=file:\/\/)\/)?`;
const NAME = String.raw`[A-Za-z_][\w.-]{0,63}(?<![.-])`;
/** Folders beside those of users that belong to nobody, and the routes of a web site. */
const NOBODYS = `(?!(?:Shared|Public|Default|Guest|All Users|linuxbrew)${AFTER})`;
const NO_ROUTE = `(?<!(?:href|to|action|src|route|path)=["'{]{1,2}|(?:GET|POST|PUT|PATCH|DELETE|HEAD) )`;
const OTHERS = new RegExp(
	`${NO_ROUTE}${BEFORE}(?:/(?:home|Users)/|(?:/mnt)?/[a-z]/Users/)${NOBODYS}${NAME}${AFTER}` +
		String.raw`|${BEFORE}${FILE_URL}[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/)${NOBODYS}${NAME}${AFTER}`,
	"g",
);

/**
 * Writes `~` for the home directory, and for those of others, whose names are nobody's business either. Only whole path
 * components count: `/mnt/home/al` is none. A flag such as `-I/home/al/include` counts as a beginning.
 */
export function createHomeShortener(homeDir: string): (text: string) => string {
	const shortenOthers = (text: string): string =>
		/[/\\](?:home|[Uu]sers)[/\\]/.test(text) ? text.replace(OTHERS, "~") : text;
	const home = homeDir.replace(/[\\/]+$/, "");
	if (home.length < 3) return shortenOthers;
	const forms = [...new Set(pathForms(home))].sort((a, b) => b.length - a.length);
	const isWindows = /^[A-Za-z]:/.test(home);
	const pattern = new RegExp(
		`${BEFORE}${isWindows ? FILE_URL : ""}(?:${forms.map(escapePattern).join("|")})${AFTER}`,
		isWindows ? "gi" : "g",
	);
	return (text) => shortenOthers(text.replace(pattern, "~"));
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
