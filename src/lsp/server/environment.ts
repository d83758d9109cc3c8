import { delimiter, isAbsolute } from "node:path";
import { leadsInto } from "../../files/project-area.ts";
import { objectionToFolder } from "./untrusted-program.ts";

/** Keeps language servers from downloading: they use what is installed, and the user installs what is missing. */
const NO_DOWNLOADS: Readonly<Record<string, string>> = {
	npm_config_offline: "true",
	YARN_ENABLE_NETWORK: "0",
	COREPACK_ENABLE_NETWORK: "0",
	PIP_NO_INDEX: "1",
	UV_OFFLINE: "1",
	GOPROXY: "off",
	// Otherwise modules that match GOPRIVATE are fetched without the proxy.
	GONOPROXY: "none",
	GOVCS: "*:off",
	GOTOOLCHAIN: "local",
	CARGO_NET_OFFLINE: "true",
	RUSTUP_AUTO_INSTALL: "0",
	// rust-analyzer makes rustup download the sources of the standard library if they are missing.
	RUSTUP_DIST_SERVER: "file:///nowhere",
	RUSTUP_UPDATE_ROOT: "file:///nowhere",
};

/**
 * Variables that make a program load more code, by a name that may belong to a project: `yarn` sets the first to the
 * project's own file.
 */
const LOADERS = [
	...["NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"],
	...["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "VIRTUAL_ENV", "CONDA_PREFIX"],
	...["GOFLAGS", "GOPACKAGESDRIVER", "CLANGD_FLAGS", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS"],
];

const UNTRUSTED: Readonly<Record<string, string>> = {
	// Python would look for modules in the folder it is started in.
	PYTHONSAFEPATH: "1",
	// A program of this name on the PATH would be asked about packages.
	GOPACKAGESDRIVER: "off",
	// cgo would run a compiler with flags of the project.
	CGO_ENABLED: "0",
	// Windows looks for programs in the current folder first.
	NoDefaultCurrentDirectoryInExePath: "1",
};

const LIBRARY_LISTS = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/** The environment of a server. `area`: the folders of an untrusted project; undefined in a trusted one. */
export function serverEnvironment(env: NodeJS.ProcessEnv, area: readonly string[] | undefined): NodeJS.ProcessEnv {
	if (!area) return { ...env, ...NO_DOWNLOADS };
	const without = new Set([...LOADERS, ...LIBRARY_LISTS, pathName(env)]);
	const kept = Object.entries(env).filter(([name, value]) => !without.has(name) && !namesProject(value ?? "", area));
	const lists = LIBRARY_LISTS.flatMap((name) => (env[name] ? [[name, cleanList(env[name], area)] as const] : []));
	const path = cleanList(pathVariable(env), area);
	return {
		...Object.fromEntries([...kept, ...lists]),
		...NO_DOWNLOADS,
		...UNTRUSTED,
		[pathName(env)]: path,
	};
}

export const pathVariable = (env: NodeJS.ProcessEnv): string => env[pathName(env)] ?? "";

/** The name of PATH: Windows spells it in several ways, and a copy of the environment does not treat them as one. */
function pathName(env: NodeJS.ProcessEnv): string {
	if (process.platform !== "win32") return "PATH";
	return Object.keys(env).find((name) => name.toLowerCase() === "path") ?? "PATH";
}

/**
 * Whether a part of a value is a path that leads into the project. A list of variables would never be complete: many programs
 * load code or settings from the path in one. Paths occur in lists, after options and in addresses.
 */
function namesProject(value: string, area: readonly string[]): boolean {
	const parts = [value, ...value.split(delimiter), ...value.split(/[\s=,;"']+/)].flatMap((part) => {
		const start = part.search(/\/|[A-Za-z]:[\\/]/);
		return start <= 0 ? [part] : [part, part.slice(start), part.slice(start).replace(/^\/+/, "/")];
	});
	return [...new Set(parts)].some((part) => isAbsolute(part) && leadsInto(part, area));
}

/** Drops empty and relative entries, which mean the current folder of a program. */
const cleanList = (list: string, area: readonly string[]): string =>
	list
		.split(delimiter)
		.filter((folder) => isAbsolute(folder) && !isShims(folder) && objectionToFolder(folder, area) === undefined)
		.join(delimiter);

/** Whether a folder has the programs of asdf, mise or the like, which choose the real program by the folder they run in. */
export const isShims = (folder: string): boolean => /[\\/]shims[\\/]*$/.test(folder);
