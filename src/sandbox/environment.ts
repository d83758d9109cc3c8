import { PROXY_ADDRESS, type RingNetwork } from "./bwrap.ts";

/** Variables with which programs find files, their language and their toolchains. */
const USUAL = new Set([
	...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "COLUMNS", "LINES"],
	...["LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"],
	...[
		"NO_COLOR",
		"FORCE_COLOR",
		"CI",
		"EDITOR",
		"PAGER",
		"GIT_PAGER",
		"XDG_CONFIG_HOME",
		"XDG_DATA_HOME",
		"XDG_DATA_DIRS",
	],
	...["NODE_ENV", "NODE_PATH", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "BUN_INSTALL", "DENO_DIR", "PNPM_HOME"],
	...[
		"GOPATH",
		"GOROOT",
		"GOFLAGS",
		"CARGO_HOME",
		"RUSTUP_HOME",
		"JAVA_HOME",
		"MAVEN_HOME",
		"GRADLE_HOME",
		"ANDROID_HOME",
	],
	...["PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "RBENV_ROOT", "GEM_HOME", "GEM_PATH", "DOTNET_ROOT"],
	...["SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "NIX_PATH", "NIX_PROFILES", "LD_LIBRARY_PATH"],
	...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"],
	// These identify a leftover process, and tell a program that a subagent runs it.
	...["PI_SESSION_ID", "PI_SUBAGENT_CHILD", "PI_SUBAGENT_DEPTH", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"],
	...["PI_OFFLINE"],
]);

/** The address of a proxy may contain a password, so it is not passed on by default. */
const PROXIES = /^(https?|all|no|ftp)_proxy$/i;

/** Sets both spellings, because programs disagree. Node supports them since 22.21 and 24.5, if NODE_USE_ENV_PROXY is set. */
const THROUGH_THE_PROXY = Object.fromEntries(
	["http_proxy", "https_proxy", "all_proxy"]
		.flatMap((name) => [name, name.toUpperCase()])
		.map((name) => [name, PROXY_ADDRESS])
		.concat(
			["no_proxy", "NO_PROXY"].map((name) => [name, "localhost,127.0.0.1,::1"]),
			[["NODE_USE_ENV_PROXY", "1"]],
		),
);

const FOR_SOCKETS = ["SSH_AUTH_SOCK", "DOCKER_HOST", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/**
 * Folders for the caches of programs: the home folder is read-only, and many programs fail if they cannot write there. They
 * do not outlive the run, because programs of other runs would use what a child puts there.
 */
const cacheVariables = (caches: string): Record<string, string> => ({
	XDG_CACHE_HOME: caches,
	npm_config_cache: `${caches}/npm`,
	YARN_CACHE_FOLDER: `${caches}/yarn`,
	BUN_INSTALL_CACHE_DIR: `${caches}/bun`,
	PIP_CACHE_DIR: `${caches}/pip`,
	UV_CACHE_DIR: `${caches}/uv`,
	GOCACHE: `${caches}/go-build`,
});

interface EnvironmentOptions {
	/** Variables that are passed on besides the usual ones. */
	names: readonly string[];
	network: RingNetwork;
	sockets: boolean;
	/** The path of the folder for temporary files inside the ring. */
	tmp: string;
}

/** The variables that a ring passes on. Any other variable may be a secret: no list of secrets is complete. */
export function ringEnvironment(
	env: NodeJS.ProcessEnv,
	{ names, network, sockets, tmp }: EnvironmentOptions,
): NodeJS.ProcessEnv {
	const allowed = new Set([...USUAL, ...names, ...(sockets ? FOR_SOCKETS : [])]);
	const isProxy = (name: string, value = "") => network === "on" && PROXIES.test(name) && !value.includes("@");
	const kept = Object.entries(env).filter(([name, value]) => allowed.has(name) || isProxy(name, value));
	return {
		...cacheVariables(`${tmp}/.cache`),
		...Object.fromEntries(kept),
		...(network === "allowlist" && THROUGH_THE_PROXY),
		TMPDIR: tmp,
	};
}
