import type { LspServerSettings } from "../../config/config.ts";

/** A language server we know how to start. */
export interface ServerDefinition {
	name: string;
	command: readonly string[];
	/** Extension → language id. */
	languages: Readonly<Record<string, string>>;
	rootMarkers: readonly string[];
	initializationOptions?: object;
	/** How a user gets it. */
	install: string;
	/** It runs code of the project it looks at, wherever it is installed itself. */
	needsTrust?: boolean;
	/** Of a program that has this name in several kinds: the oldest major version of its npm package that will do. */
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

/** In order of preference: of those for a language, the first one that is installed is used. */
const BUILT_IN: readonly ServerDefinition[] = [
	{
		name: "typescript",
		command: ["tsc", "--lsp", "--stdio"],
		languages: WEB_LANGUAGES,
		rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
		install: "npm install -D typescript@7",
		npmPackage: { name: "typescript", since: 7 },
	},
	{
		name: "typescript-language-server",
		command: ["typescript-language-server", "--stdio"],
		languages: WEB_LANGUAGES,
		rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
		install: "npm install -D typescript-language-server typescript@6",
		// Its second server answers at once, and wrongly, while the first one still reads the project.
		initializationOptions: { tsserver: { useSyntaxServer: "never" } },
		// It runs the tsserver it finds in the project.
		needsTrust: true,
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
	},
	{
		name: "gopls",
		command: ["gopls"],
		languages: { ".go": "go" },
		rootMarkers: ["go.work", "go.mod"],
		install: "go install golang.org/x/tools/gopls@latest",
	},
	{
		name: "rust-analyzer",
		command: ["rust-analyzer"],
		languages: { ".rs": "rust" },
		rootMarkers: ["Cargo.toml"],
		install: "rustup component add rust-analyzer",
		// Build scripts and procedural macros.
		needsTrust: true,
	},
	{
		name: "clangd",
		command: ["clangd"],
		languages: C_LANGUAGES,
		rootMarkers: ["compile_commands.json", "compile_flags.txt", "CMakeLists.txt"],
		install: "the package clangd of your system",
	},
];

/** The servers in force. The user's come first; one with the name of a built-in changes that. */
export function knownServers(settings: readonly LspServerSettings[]): ServerDefinition[] {
	const own = settings.flatMap((server) => {
		if (server.disabled) return [];
		const builtIn = BUILT_IN.find(({ name }) => name === server.name);
		const command = server.command ?? builtIn?.command;
		const languages = languagesOf(server, builtIn);
		if (!command || Object.keys(languages).length === 0) return [];
		const initializationOptions = server.initializationOptions ?? builtIn?.initializationOptions;
		const definition: ServerDefinition = {
			name: server.name,
			command,
			languages,
			rootMarkers: server.rootMarkers ?? builtIn?.rootMarkers ?? [],
			install: builtIn?.install ?? `whatever provides ${command[0]} (lsp.servers.${server.name} in pi-geon.json)`,
			...(initializationOptions && { initializationOptions }),
			...(builtIn?.needsTrust && { needsTrust: true }),
			...(builtIn?.npmPackage && !server.command && { npmPackage: builtIn.npmPackage }),
		};
		return [definition];
	});
	const named = new Set(settings.map(({ name }) => name));
	return [...own, ...BUILT_IN.filter(({ name }) => !named.has(name))];
}

function languagesOf(
	{ extensions, languageId }: LspServerSettings,
	builtIn: ServerDefinition | undefined,
): Readonly<Record<string, string>> {
	const known = builtIn?.languages ?? {};
	const idOf = (extension: string) => languageId ?? known[extension] ?? extension.slice(1);
	return Object.fromEntries((extensions ?? Object.keys(known)).map((extension) => [extension, idOf(extension)]));
}
