import { ESCAPE } from "./mask.ts";

const raw = String.raw;

const BEFORE = String.raw`(?:(?<![\w.~-])|(?<=(?:^|[\s"'])-[A-Za-z])|(?<=${ESCAPE}))`;
const AFTER = String.raw`(?![\w-]|\.\w)`;
/** A drive's path in a file URL has a slash before it that is not part of the path. */
const FILE_URL = String.raw`(?:(?<=file:\/\/)\/)?`;
const USER_NAME = String.raw`[A-Za-z_][\w.-]{0,63}(?<![.-])`;
/** Folders beside those of users that belong to no user, and the pages of a web site. */
const PAGES =
	"about|account|blog|contact|dashboard|details?|edit|explore|feed|feedback|help|index|inbox|list|login|logout|main|menu|messages|" +
	"new|news|notifications|overview|pages?|posts|products|profile|reports|search|settings|shop|tabs?|users|view|welcome";
const PAGE_FILES = String.raw`[\w-]+\.(?:html?|[jt]sx?|vue|php|css|md|json|txt|py|svg|png)`;
const NOBODYS = `(?!(?:Shared|Public|Default|Guest|All Users|linuxbrew|${PAGES}|${PAGE_FILES})${AFTER})`;
const ROUTE_CALLS =
	"push|replace|navigate|navigateByUrl|redirect|goto|visit|get|post|put|patch|delete|head|use|all|fetch";
const NO_ROUTE = `(?<!(?:href|to|action|src|route|path)=["'{]{1,2}|(?:${ROUTE_CALLS})\\(["'\`]|(?:GET|POST|PUT|PATCH|DELETE|HEAD) )`;
const HOME =
	`(?:/(?:home|Users)/|(?:/mnt)?/[a-z]/Users/)${NOBODYS}${USER_NAME}` +
	String.raw`|${FILE_URL}[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/)${NOBODYS}${USER_NAME}`;
const BEFORE_PATH = raw`(?=\\{1,4}[\w.@$+~-]|/[\w.@$+~-])`;
const OTHERS = new RegExp(`${NO_ROUTE}${BEFORE}(?:${HOME})${AFTER}${BEFORE_PATH}`, "g");
/** Without anything in it, it may as well be a page, or a regular expression: `/home/gi`. */
const NO_PAGE = raw`(?<!\b(?:location|path|pathname|url|link|route|redirect|page|endpoint)["']?[:=(]?[ \t]?["'\x60]?)(?!/\w+/[dgimsuvy]{1,4}${AFTER})`;
const OTHERS_ALONE = new RegExp(`${NO_ROUTE}${NO_PAGE}${BEFORE}(?:${HOME})${AFTER}`, "g");
const STARTS_IN_HOME = new RegExp(`^(?:${HOME})${AFTER}`);

/**
 * Writes `~` for the home directory, and for those of other users, whose names are private too. Only whole path components
 * count: `/mnt/home/al` is not a home. A flag such as `-I/home/al/include` counts as a beginning. Another user's home in
 * which this process works stays: `~` would send the reader to the wrong place.
 */
export function createHomeShortener(homeDir: string, ownFolders: Iterable<string>): (text: string) => string {
	const workplaces = new Set(homesOf(ownFolders).map(comparable));
	const shortened = (home: string): string => (workplaces.has(comparable(home)) ? home : "~");
	const shortenOthers = (text: string): string =>
		/[/\\](?:home|[Uu]sers)[/\\]/.test(text) ? text.replace(OTHERS, shortened).replace(OTHERS_ALONE, shortened) : text;
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

/** The home directories that contain some folders, regardless of their owner. */
export function homesOf(folders: Iterable<string>): string[] {
	const homes = [...folders].flatMap((folder) => STARTS_IN_HOME.exec(folder)?.[0] ?? []);
	return [...new Set(homes)].sort();
}

/** `C:\Users\al`, `c:/users/al`, `/c/Users/al` and `/mnt/c/Users/al` are the same folder. */
function comparable(home: string): string {
	const slashes = home.replace(/\\{1,4}/g, "/");
	const drive = /^(?:\/?([A-Za-z]):|(?:\/mnt)?\/([a-z])(?=\/Users\/))(.*)$/.exec(slashes);
	return drive === null ? slashes : `${drive[1] ?? drive[2]}:${drive[3]}`.toLowerCase();
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
