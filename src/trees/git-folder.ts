import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";
import { messageOf } from "../run/message-of.ts";
import type { Checkout } from "./checkout.ts";
import { TreeRefused } from "./tree-refused.ts";

/** The branch that a tree begins on, and that its changes come home as. */
export const TREE_BRANCH = "refs/heads/pi-geon";

export interface GitFolder {
	/** Content of `config`. */
	config: string;
	/** Folders whose objects it borrows. */
	alternates: readonly string[];
	excludes?: string;
	attributes?: string;
	/** The commit that the branch points at. */
	commit?: string;
	/** Content of the checkout's `shallow`: commits whose parents are missing. */
	shallow?: string;
}

/** Creates a repository by hand: `git init` takes longer, and reads templates. */
export function writeGitFolder(gitDir: string, { config, alternates, ...rest }: GitFolder): void {
	for (const folder of ["objects/info", "objects/pack", "refs/heads", "info"]) {
		mkdirSync(join(gitDir, folder), { recursive: true, mode: 0o700 });
	}
	const write = (name: string, text: string | undefined) =>
		text === undefined || text === "" ? undefined : writeFileSync(join(gitDir, name), text, { mode: 0o600 });
	write("HEAD", `ref: ${TREE_BRANCH}\n`);
	write("config", config);
	write("objects/info/alternates", alternates.map((path) => `${inQuotes(path)}\n`).join(""));
	write("info/exclude", rest.excludes);
	write("info/attributes", rest.attributes);
	write("shallow", rest.shallow);
	write(TREE_BRANCH, rest.commit === undefined ? undefined : `${rest.commit}\n`);
}

export function gitConfig(
	format: string,
	{ conversion, bare = false }: { conversion: readonly string[]; bare?: boolean },
): string {
	const core = conversion.map((one) => one.replace(/^core\./, "")).map((one) => one.replace("=", " = "));
	return [
		"[core]",
		`	repositoryformatversion = ${format === "sha1" ? 0 : 1}`,
		`	bare = ${bare}`,
		"	logallrefupdates = false",
		...core.map((line) => `	${line}`),
		...(format === "sha1" ? [] : ["[extensions]", `	objectFormat = ${format}`]),
		"",
	].join("\n");
}

/** Where the objects of a checkout are. */
export const objectsOf = ({ repository }: Checkout): string[] =>
	repository ? [join(repository.commonDir, "objects")] : [];

export const shallowFileOf = ({ repository }: Pick<Checkout, "repository">): string[] =>
	repository ? [join(repository.commonDir, "shallow")] : [];

/** The commits whose parents a shallow clone does not have. */
export function shallowOf(checkout: Checkout): { shallow?: string } {
	const [file] = shallowFileOf(checkout);
	if (!file || !existsSync(file)) return {};
	try {
		return { shallow: readRegularFile(file) };
	} catch (error) {
		throw new TreeRefused("no_snapshot", `${file} cannot be read: ${messageOf(error)}`);
	}
}

export const formatOf = ({ repository }: Checkout): string => repository?.format ?? "sha1";

/** Quoted as in C. git reads any path that begins with a quote in this way. */
function inQuotes(path: string): string {
	const escaped = [...Buffer.from(path)].map((byte) => {
		if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
		return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
	});
	return `"${escaped.join("")}"`;
}

/** A path as a line of an ignore file. A wildcard for one character replaces a line break. */
export const excludeLine = (path: string): string =>
	`/${path.replace(/[\\*?[\]!# ]/g, "\\$&").replace(/[\n\r]/g, "?")}`;
