import { devNull, homedir } from "node:os";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { isInside, leadsInto, projectArea } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { type ProgramEnd, type RunProgram, runPlainly } from "./program.ts";
import { TreeRefused } from "./tree-refused.ts";

/** A repository given by its parts, so that git does not search for one or check its owner. */
export interface Repository {
	gitDir: string;
	workTree?: string;
	/** Where git starts; the work tree by default. */
	cwd?: string;
}

interface GitOptions {
	input?: string | Buffer;
	run?: RunProgram;
	/** `name=value`, with precedence over the repository's own configuration. */
	config?: readonly string[];
	/** Other exit codes that count as answers, besides 0. */
	accept?: readonly number[];
	maxBytes?: number;
	/** Names of the hooks that the repository's configuration defines, so that they can be switched off. */
	hooks?: readonly string[];
}

/** The message of this error has git's own words. */
export class GitFailed extends Error {
	override name = "GitFailed";
	constructor(command: string, { exitCode, stderr }: ProgramEnd) {
		const said = stderr.trim().replace(/\s+/g, " ").slice(0, 600);
		super(`git ${command} failed (exit code ${exitCode})${said === "" ? "" : `: ${said}`}`);
	}
}

/**
 * Settings with which nothing in a repository makes git run a program: no hooks, no file monitor, no background maintenance,
 * no signing.
 *
 * Filters cannot be switched off without knowing their names. So a command that may run one (`add`, `status`, `diff` of
 * files) runs only in a repository that we made, and never asks a submodule whether it has changed: git would run in the
 * submodule, with the submodule's own configuration.
 */
const HARDENED = [
	`core.hooksPath=${devNull}`,
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.splitIndex=false",
	"core.sshCommand=false",
	"core.pager=cat",
	"core.protectHFS=true",
	"core.protectNTFS=true",
	"core.alternateRefsCommand=",
	"credential.helper=",
	"commit.gpgSign=false",
	"diff.external=",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	"fetch.recurseSubmodules=false",
	"fetch.fsckObjects=true",
	"advice.addEmbeddedRepo=false",
	"core.safecrlf=false",
];

const IDENTITY = { NAME: "pi-geon", EMAIL: "pi-geon@localhost" };

/**
 * The whole environment of every git that we run. The user's environment could contain `GIT_DIR` and the like.
 */
function cleanEnvironment(): Record<string, string> {
	return {
		PATH: pathOutsideOfProjects(process.env.PATH ?? ""),
		LC_ALL: "C",
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_NO_LAZY_FETCH: "1",
		// Configuration cannot allow a protocol that is missing here. With `ext`, an address is a command.
		GIT_ALLOW_PROTOCOL: "",
		GIT_EDITOR: "false",
		...Object.fromEntries(
			["AUTHOR", "COMMITTER"].flatMap((who) =>
				Object.entries(IDENTITY).map(([what, value]) => [`GIT_${who}_${what}`, value]),
			),
		),
	};
}

/** The folders of all projects that this process has examined. Later calls name only our own folders. */
const examinedProjects = new Set<string>();

/**
 * The PATH without folders in which a project has a `git`, even through links: no project may bring the git that examines it.
 * An npm script has the project's programs on its PATH, and a user may have put them there.
 */
export const pathOutsideOfProjects = (path: string, projects: ReadonlySet<string> = examinedProjects): string =>
	path
		.split(delimiter)
		.filter((folder) => isAbsolute(folder) && !folder.split(sep).includes("node_modules"))
		.filter((folder) => !leadsInto(join(folder, "git"), [...projects]))
		.join(delimiter);

function rememberProject(cwd: string): void {
	const home = realPath(homedir());
	for (const folder of projectArea({ cwd, root: cwd })) if (!isInside(folder, home)) examinedProjects.add(folder);
}

/** Runs git on a repository that we name, with only the settings that we give it. */
export async function git(
	{ gitDir, workTree, cwd = workTree ?? gitDir }: Repository,
	args: readonly string[],
	{ input, run = runPlainly, config = [], accept = [], maxBytes, hooks = [] }: GitOptions = {},
): Promise<ProgramEnd> {
	const end = await run(["git", ...[...HARDENED, ...config].flatMap((one) => ["-c", one]), ...args], {
		cwd,
		env: {
			...cleanEnvironment(),
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_CONFIG_GLOBAL: devNull,
			GIT_ATTR_NOSYSTEM: "1",
			GIT_DIR: gitDir,
			// A bundle is a file, and so is the repository of a tree.
			...(args[0] === "fetch" && { GIT_ALLOW_PROTOCOL: "file" }),
			...withoutHooks(hooks),
			...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
		},
		...(input !== undefined && { input }),
		...(maxBytes !== undefined && { maxBytes }),
	});
	if (end.exitCode !== 0 && !accept.includes(end.exitCode)) throw new GitFailed(args[0] ?? "", end);
	return end;
}

/** Switches off hooks that the configuration defines (git 2.54). Uses variables, since a name may contain `=`. */
const withoutHooks = (names: readonly string[]): Record<string, string> =>
	Object.fromEntries([
		["GIT_CONFIG_COUNT", String(names.length)],
		...names.flatMap((name, index) => [
			[`GIT_CONFIG_KEY_${index}`, `hook.${name}.enabled`],
			[`GIT_CONFIG_VALUE_${index}`, "false"],
		]),
	]);

/** The one line that git prints. A path may contain line breaks, so this removes only the last one. */
export async function gitLine(
	repository: Repository,
	args: readonly string[],
	options: GitOptions = {},
): Promise<string> {
	return withoutLineEnd((await git(repository, args, options)).stdout);
}

export const withoutLineEnd = (output: Buffer): string => output.toString().replace(/\n$/, "");

/** The NUL-terminated words of an output. */
export const nulWords = (output: Buffer): string[] => output.toString().split("\0").slice(0, -1);

/** The same for paths of files that must be found again: a name need not be UTF-8. */
export function nulPaths(output: Buffer): Buffer[] {
	const paths: Buffer[] = [];
	let from = 0;
	for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, from)) {
		paths.push(output.subarray(from, end));
		from = end + 1;
	}
	return paths;
}

/** Far longer than git needs to read a few small files. */
const GIT_ANSWERS_WITHIN_MS = 30_000;

/**
 * Runs git with the user's settings in one of their folders: git finds the repository, and the user's settings say whose
 * folders to trust. Only for commands that run no other programs (`rev-parse`, `config`).
 */
export async function askAsUser(
	cwd: string,
	args: readonly string[],
	patienceMs = GIT_ANSWERS_WITHIN_MS,
): Promise<ProgramEnd> {
	const kept = ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"];
	const own = kept.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value]];
	});
	rememberProject(realPath(cwd));
	const env = { ...cleanEnvironment(), ...Object.fromEntries(own) };
	const signal = AbortSignal.timeout(patienceMs);
	try {
		return await runPlainly(["git", ...args], { cwd, env, signal });
	} catch (error) {
		if (!signal.aborted) throw error;
		throw new TreeRefused(
			"no_snapshot",
			`git did not answer within ${Math.ceil(patienceMs / 1000)} s in ${cwd}. A pipe in the place of a file in .git makes git wait: find ${cwd} -path '*/.git/*' -type p`,
		);
	}
}
