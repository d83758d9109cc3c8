import { basename } from "node:path";
import type { LspServerSettings } from "../../config/config.ts";

/** A language server we know how to start. */
export interface ServerDefinition {
	name: string;
	command: readonly string[];
	/** Extension → language id. */
	languages: Readonly<Record<string, string>>;
	rootMarkers: readonly string[];
	/**
	 * Files of a folder whose projects one server reads together. That folder is the root then, even if nearer markers
	 * exist.
	 */
	workspaceMarkers?: readonly { file: string; saying?: RegExp }[];
	initializationOptions?: object;
	/** The options that no user's table removes. */
	requiredOptions?: object;
	/** The answer when it asks for the settings of a section. */
	settings?: Readonly<Record<string, object>>;
	/** How a user installs it. */
	install: string;
	/** Why it must not read an untrusted project: it runs code of the project, no matter where the server is installed. */
	needsTrust?: string;
	/** The oldest major version of its npm package that works, if different programs share this name. */
	npmPackage?: { name: string; since: number };
}

const WEB_LANGUAGES = {
	...{ ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact" },
	...{ ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact" },
};
const PYTHON = { ".py": "python", ".pyi": "python" };
const PYTHON_MARKERS = ["pyproject.toml", "pyrightconfig.json", "setup.py", "setup.cfg", "requirements.txt"];
const C_LANGUAGES = {
	...{ ".c": "c", ".h": "c", ".m": "objective-c" },
	...{ ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp" },
};

/** Where clangd looks for compile commands, in the folder of a file and those above. */
export const COMPILE_COMMANDS = ["compile_commands.json", "build/compile_commands.json"];

/**
 * Keeps TypeScript's servers from installing type declarations with npm when they see JavaScript. Older releases of
 * TypeScript 7 know the first of these names, newer ones the second.
 */
const NO_TYPES_INSTALLED = {
	disableAutomaticTypeAcquisition: true,
	tsserver: { automaticTypeAcquisition: { enabled: false } },
};
const TYPESCRIPT_SETTINGS = {
	"js/ts": NO_TYPES_INSTALLED,
	typescript: NO_TYPES_INSTALLED,
	javascript: NO_TYPES_INSTALLED,
};

/** In order of preference: the first installed one for a language is used. */
const BUILT_IN: readonly ServerDefinition[] = [
	{
		name: "typescript",
		command: ["tsc", "--lsp", "--stdio"],
		languages: WEB_LANGUAGES,
		rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
		install: "npm install -D typescript@7",
		npmPackage: { name: "typescript", since: 7 },
		settings: TYPESCRIPT_SETTINGS,
	},
	{
		name: "typescript-language-server",
		command: ["typescript-language-server", "--stdio"],
		languages: WEB_LANGUAGES,
		rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
		install: "npm install -D typescript-language-server typescript@6",
		// Its second server answers immediately, but wrongly, while the first one still reads the project.
		initializationOptions: { tsserver: { useSyntaxServer: "never" } },
		requiredOptions: { disableAutomaticTypingAcquisition: true },
		needsTrust: "runs the TypeScript and the plugins that it finds in the project",
	},
	{
		name: "pyright",
		command: ["pyright-langserver", "--stdio"],
		languages: PYTHON,
		rootMarkers: PYTHON_MARKERS,
		install: "npm install -g pyright",
	},
	{
		name: "basedpyright",
		command: ["basedpyright-langserver", "--stdio"],
		languages: PYTHON,
		rootMarkers: PYTHON_MARKERS,
		install: "pip install basedpyright",
		needsTrust: "runs the Python that it finds in a .venv of the project",
	},
	{
		name: "gopls",
		command: ["gopls"],
		languages: { ".go": "go" },
		rootMarkers: ["go.mod"],
		workspaceMarkers: [{ file: "go.work" }],
		install: "go install golang.org/x/tools/gopls@latest",
	},
	{
		name: "rust-analyzer",
		command: ["rust-analyzer"],
		languages: { ".rs": "rust" },
		rootMarkers: ["Cargo.toml"],
		workspaceMarkers: [{ file: "Cargo.toml", saying: /^\s*\[workspace\b/m }],
		// Cargo would write a lock file into a project with no lock file, or an outdated one.
		requiredOptions: { cargo: { extraArgs: ["--locked"] } },
		install: "rustup component add rust-analyzer",
		// Options are not enough: its toolchain and `cargo` also read files of the project that name programs to run.
		needsTrust: "runs build scripts, macros and toolchains of the project",
	},
	{
		name: "clangd",
		command: ["clangd"],
		languages: C_LANGUAGES,
		rootMarkers: ["compile_flags.txt"],
		// clangd's own rule. A CMakeLists.txt proves nothing: most folders of a project have one.
		workspaceMarkers: COMPILE_COMMANDS.map((file) => ({ file })),
		install: "the package clangd of your system",
	},
];

/** The servers in force. The user's come first; one with the name of a built-in modifies it. */
export function knownServers(settings: readonly LspServerSettings[]): ServerDefinition[] {
	const own = settings.flatMap((server) => {
		if (server.disabled) return [];
		const builtIn = BUILT_IN.find(({ name }) => name === server.name);
		const command = server.command ?? builtIn?.command;
		const languages = languagesOf(server, builtIn);
		if (!command || Object.keys(languages).length === 0) return [];
		const initializationOptions = server.initializationOptions ?? builtIn?.initializationOptions;
		const needsTrust = trustNeeded(server, command, builtIn);
		const definition: ServerDefinition = {
			name: server.name,
			command,
			languages,
			rootMarkers: server.rootMarkers ?? builtIn?.rootMarkers ?? [],
			install: builtIn?.install ?? `whatever provides ${command[0]} (lsp.servers.${server.name} in pi-geon.json)`,
			...(builtIn?.workspaceMarkers && !server.rootMarkers && { workspaceMarkers: builtIn.workspaceMarkers }),
			...(initializationOptions && { initializationOptions }),
			...(builtIn?.requiredOptions && { requiredOptions: builtIn.requiredOptions }),
			...(builtIn?.settings && { settings: builtIn.settings }),
			...(needsTrust !== undefined && { needsTrust }),
			...(builtIn?.npmPackage && !server.command && { npmPackage: builtIn.npmPackage }),
		};
		return [definition];
	});
	const named = new Set(settings.map(({ name }) => name));
	return [...own, ...BUILT_IN.filter(({ name }) => !named.has(name))];
}

/** Why a user's server needs trust: what it may do is known only if it is built in, or if the user says so. */
function trustNeeded(
	server: LspServerSettings,
	command: readonly string[],
	builtIn: ServerDefinition | undefined,
): string | undefined {
	if (server.needsTrust === false) return undefined;
	if (server.needsTrust === true) return "needs trust by lsp.servers in pi-geon.json";
	if (builtIn?.needsTrust !== undefined) return builtIn.needsTrust;
	const [program = ""] = command;
	if (basename(program).replace(/\.exe$/i, "") !== builtIn?.command[0]) {
		return `may run code of the project (if it does not, set lsp.servers.${server.name}.needsTrust to false)`;
	}
	const runsCompilers = server.name === "clangd" && command.some((part) => /^--?query-driver\b/.test(part));
	return runsCompilers ? "runs compilers that the project names, with --query-driver" : undefined;
}

function languagesOf(
	{ extensions, languageId }: LspServerSettings,
	builtIn: ServerDefinition | undefined,
): Readonly<Record<string, string>> {
	const known = builtIn?.languages ?? {};
	const idOf = (extension: string) => languageId ?? known[extension] ?? extension.slice(1);
	return Object.fromEntries((extensions ?? Object.keys(known)).map((extension) => [extension, idOf(extension)]));
}

/** The options that a server gets at its start. */
export const optionsOf = ({ initializationOptions, requiredOptions }: ServerDefinition): object | undefined =>
	requiredOptions ? merged(initializationOptions ?? {}, requiredOptions) : initializationOptions;

/** Joins lists. If both have a value, the required one comes last. */
function merged(options: object, required: object): object {
	const both = { ...options } as Record<string, unknown>;
	for (const [key, value] of Object.entries(required)) {
		const own = both[key];
		if (Array.isArray(value) && Array.isArray(own)) both[key] = [...own, ...value];
		else if (isPlain(value) && isPlain(own)) both[key] = merged(own, value);
		else both[key] = value;
	}
	return both;
}

const isPlain = (value: unknown): value is object =>
	typeof value === "object" && value !== null && !Array.isArray(value);
