import { existsSync, realpathSync } from "node:fs";
import { devNull, homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { isRepository } from "../files/owner.ts";
import { isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { readRegularFile } from "../files/regular-file.ts";
import { ancestors } from "../files/repository.ts";
import { messageOf } from "../run/message-of.ts";
import { askAsUser, nulWords, withoutLineEnd } from "./git.ts";
import { TreeRefused } from "./tree-refused.ts";

/** What a tree needs to know about the user's checkout. */
export interface Checkout {
	/** The top folder; without git the folder itself. */
	top: string;
	/** From there to the working directory; empty for the top. */
	prefix: string;
	settings: CheckoutSettings;
	/** Undefined for a folder without git. */
	repository?: CheckoutRepository;
}

export interface CheckoutRepository {
	/** The git directory of this worktree. */
	gitDir: string;
	/** The git directory that all worktrees of the repository share. */
	commonDir: string;
	/** Undefined before the first commit. */
	head?: { commit: string; tree: string };
	/** `sha1` or `sha256`. */
	format: string;
}

/** The user's configuration of how files become blobs, and which files git ignores. */
export interface CheckoutSettings {
	/** `core.autocrlf` and the like, as `name=value`. */
	conversion: readonly string[];
	/** Texts of ignore files outside the checkout, in rising order of precedence. */
	excludes: readonly string[];
	/** Texts of attributes files outside the checkout, in rising order of precedence. */
	attributes: readonly string[];
	/** Which of these files the repository names, or has: its configuration or a link in it may lead to any file. */
	named: readonly string[];
	/** Whether any filter is configured: git-lfs for instance. */
	hasFilters: boolean;
	/** Names of the hooks that are configured. */
	hooks: readonly string[];
}

const NOT_A_TREE = "so a subagent cannot get a copy of it to write in";

/** Finds the checkout that contains a directory. No tree may contain a copy of the folders in `secret`. */
export async function findCheckout(cwd: string, { secret = [] as readonly string[] } = {}): Promise<Checkout> {
	const here = realpathSync(cwd);
	const top = await askedTop(here);
	const folder = top ?? here;
	// A snapshot has every file that is not ignored: for a home directory, that would include the user's keys.
	const within = [homedir(), ...secret].find((path) => isInside(folder, realPath(path)));
	if (within !== undefined) {
		throw new TreeRefused("no_snapshot", `${folder} holds ${within}, ${NOT_A_TREE}. Work in a folder of a project.`);
	}
	const repository = top === undefined ? undefined : await repositoryAt(here);
	return {
		top: folder,
		prefix: relative(folder, here),
		settings: await settingsIn(folder, repository?.commonDir),
		...(repository && { repository }),
	};
}

/** Undefined if there is no git repository. Throws git's own message if git rejects it. */
async function askedTop(cwd: string): Promise<string | undefined> {
	const asked = await askAsUser(cwd, ["rev-parse", "--show-toplevel"]).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "ENOENT") throw error;
		throw new TreeRefused("no_snapshot", `git is not installed, ${NOT_A_TREE}. Install git.`, { cause: error });
	});
	if (asked.exitCode === 0) {
		const top = realpathSync(withoutLineEnd(asked.stdout));
		// A repository's own configuration may name any folder (core.worktree), such as one with keys.
		if (isInside(top, cwd) && isRepository(top)) return top;
		throw new TreeRefused("no_snapshot", `The repository of ${cwd} has its files elsewhere: ${top}, ${NOT_A_TREE}.`);
	}
	if (!ancestors(cwd).some((folder) => existsSync(join(folder, ".git")))) return undefined;
	throw new TreeRefused("no_snapshot", `git refuses ${cwd}, ${NOT_A_TREE}: ${asked.stderr.trim()}`);
}

async function repositoryAt(cwd: string): Promise<CheckoutRepository> {
	const ask = async (...args: string[]) => {
		const { exitCode, stdout } = await askAsUser(cwd, ["rev-parse", "--path-format=absolute", ...args]);
		return exitCode === 0 ? withoutLineEnd(stdout) : undefined;
	};
	const [gitDir, commonDir, format, head] = await Promise.all([
		ask("--absolute-git-dir"),
		ask("--git-common-dir"),
		ask("--show-object-format"),
		ask("--verify", "--quiet", "HEAD^{commit}"),
	]);
	if (gitDir === undefined || commonDir === undefined || format === undefined) {
		throw new TreeRefused("no_snapshot", `git does not tell where the repository of ${cwd} is, ${NOT_A_TREE}.`);
	}
	const tree = head === undefined ? undefined : await ask("--verify", "--quiet", `${head}^{tree}`);
	return { gitDir, commonDir, format, ...(head && tree && { head: { commit: head, tree } }) };
}

const CONVERSION = [
	"core.autocrlf",
	"core.eol",
	"core.symlinks",
	"core.filemode",
	"core.ignorecase",
	"core.precomposeunicode",
];

async function settingsIn(top: string, commonDir: string | undefined): Promise<CheckoutSettings> {
	const asked = await askAsUser(top, [
		"config",
		"--null",
		"--show-scope",
		"--type=path",
		"--get-regexp",
		"^(core|filter)\\.|^hook\\..*\\.command$",
	]);
	// 1 means that there are no settings. Any other error might hide an ignore file, and with it files that must not be copied.
	if (asked.exitCode > 1) {
		throw new TreeRefused("no_snapshot", `git cannot read its configuration, ${NOT_A_TREE}: ${asked.stderr.trim()}`);
	}
	const values = lastValues(nulWords(asked.stdout));
	const userFolder = join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git");
	const filesFor = (name: string, usual: string, own: string) => {
		const inRepository = commonDir === undefined ? [] : [join(commonDir, "info", own)];
		const { value = join(userFolder, usual), isOfRepository = false } = values.get(name) ?? {};
		// As in git, which works at the top.
		const file = resolve(top, value);
		// Users name /dev/null to have no such rules.
		const ofSettings = file === devNull ? [] : [file];
		const all = [...ofSettings, ...inRepository];
		return { all, named: isOfRepository ? all : inRepository };
	};
	const ignoring = filesFor("core.excludesfile", "ignore", "exclude");
	const attributing = filesFor("core.attributesfile", "attributes", "attributes");
	const textsOf = (files: readonly string[]) => files.map(textIfThere).filter((text) => text !== "");
	return {
		conversion: CONVERSION.flatMap((name) => {
			const { value } = values.get(name) ?? {};
			return value !== undefined && /^\w+$/.test(value) ? [`${name}=${value}`] : [];
		}),
		excludes: textsOf(ignoring.all),
		attributes: textsOf(attributing.all),
		named: [...ignoring.named, ...attributing.named],
		hasFilters: [...values.keys()].some((name) => name.startsWith("filter.")),
		hooks: [...values.keys()].flatMap((name) => /^hook\.(.+)\.command$/s.exec(name)?.[1] ?? []),
	};
}

interface ConfigValue {
	value: string;
	/** Whether the repository says so, and not the user's own settings. */
	isOfRepository: boolean;
}

/** From pairs of a scope and an entry, which has a name, a line break and a value. The last value of a name counts. */
function lastValues(words: readonly string[]): Map<string, ConfigValue> {
	const values = new Map<string, ConfigValue>();
	for (let at = 0; at + 1 < words.length; at += 2) {
		const [scope = "", entry = ""] = words.slice(at, at + 2);
		const [, name = entry, value = "true"] = /^(.*?)\n(.*)$/s.exec(entry) ?? [];
		values.set(name, { value, isOfRepository: scope === "local" || scope === "worktree" });
	}
	return values;
}

function textIfThere(file: string): string {
	try {
		return readRegularFile(file);
	} catch (error) {
		if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(error.code))) {
			return "";
		}
		throw new TreeRefused("no_snapshot", `${file} cannot be read, ${NOT_A_TREE}: ${messageOf(error)}`);
	}
}
