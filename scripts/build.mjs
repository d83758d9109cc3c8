// Bundles the extension, the host's extension and the public exports into dist/, and writes their types.
// pi's own packages stay outside: inside pi they are pi's.
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function loadEsbuild() {
	try {
		return await import("esbuild");
	} catch (error) {
		// `npm install --omit=dev` runs "prepare" too, where there is nothing to build with and nothing to build for.
		if (error.code === "ERR_MODULE_NOT_FOUND" && process.argv.includes("--when-possible")) return undefined;
		throw error;
	}
}

const esbuild = await loadEsbuild();
if (!esbuild) process.exit(0);

// Built aside and put in place at the end: a pi that starts meanwhile finds the old one whole, or the new one.
const outdir = join(root, ".cache", `dist-${process.pid}`);
/** proxy-chain can go through another proxy by SOCKS. Ours never does, and what that needs is five times its own size. */
const withoutSocks = {
	name: "without-socks",
	setup(build) {
		build.onResolve({ filter: /^socks(-proxy-agent)?$/ }, ({ path }) => ({ path, namespace: "left-out" }));
		build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
			contents: "export const SocksClient = undefined; export const SocksProxyAgent = undefined;",
		}));
	},
};

const common = {
	absWorkingDir: root,
	outdir,
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	mainFields: ["module", "main"],
	chunkNames: "chunks/[name]-[hash]",
	legalComments: "linked",
	logLevel: "warning",
	plugins: [withoutSocks],
};
// Its ES module build; the other one requires Node's `process` in a way that a bundled module cannot.
const alias = { yaml: join(root, "node_modules", "yaml", "browser", "index.js") };
/** pi's packages that we use. Inside pi they are pi's own, and only pi's loader can find them. */
const PI_MODULES = [
	"@earendil-works/pi-ai",
	"@earendil-works/pi-coding-agent",
	"@earendil-works/pi-tui",
	"typebox",
	"typebox/value",
];
const EXTENSIONS = {
	extension: "src/pi/extension.ts",
	host: "src/host/extension.ts",
	lsp: "src/lsp/extension.ts",
	web: "src/web/extension.ts",
};

/** What a namespace import looks for, and an older pi does not have. */
const ONLY_IN_NEWER_PI = {
	"@earendil-works/pi-coding-agent": ["createCodemodeExtension", "createMcpExtension", "createToolSearchExtension"],
};

/** What the sources import from a package, other than types. The bundler complains about whatever this misses. */
function namesImportedFrom(name) {
	const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
		file.endsWith(".ts"),
	);
	const imports = new RegExp(`^import \\{([^}]*)\\} from "${name}";`, "gm");
	const names = sources.flatMap((file) =>
		[...readFileSync(join(root, "src", file), "utf8").matchAll(imports)].flatMap(([, list]) => list.split(",")),
	);
	const values = names.map((each) => each.trim()).filter((each) => each !== "" && !each.startsWith("type "));
	return [...new Set([...values.map((each) => each.split(" as ")[0]), ...(ONLY_IN_NEWER_PI[name] ?? [])])].sort();
}

/** Where pi's packages are found by what pi's loader does not load. */
const held = 'globalThis[Symbol.for("pi-geon.pi-modules")]';

/**
 * pi's loader transpiles each file that imports one of pi's packages, and evaluates it anew, uncached, at every start.
 * So only a few lines do: each entry takes hold of pi's packages and imports the rest, which finds them there. The rest
 * is imported by Node itself, which keeps it compiled.
 */
const entryOf = (rest) =>
	[
		...PI_MODULES.map((name, index) => `import * as module${index} from ${JSON.stringify(name)};`),
		`Object.assign(${held} ??= {}, { ${PI_MODULES.map((name, index) => `${JSON.stringify(name)}: module${index}`).join(", ")} });`,
		// Kept: pi's loader looks for it anew at each import, and a host loads our tools for each child.
		"let extension;",
		"export default async (pi) => {",
		`	extension ??= import(${JSON.stringify(rest)}).catch((error) => {`,
		"		extension = undefined;",
		"		throw error;",
		"	});",
		"	return (await extension).default(pi);",
		"};\n",
	].join("\n");

const piModules = {
	name: "pi-modules",
	setup(build) {
		build.onResolve({ filter: /^(@earendil-works\/|typebox(\/|$))/ }, ({ path }) => {
			if (PI_MODULES.includes(path)) return { path, namespace: "pi-module" };
			return { errors: [{ text: `Add ${path} to PI_MODULES in scripts/build.mjs.` }] };
		});
		build.onLoad({ filter: /.*/, namespace: "pi-module" }, ({ path }) => ({
			contents: namesImportedFrom(path)
				.map((name) => `export const ${name} = ${held}[${JSON.stringify(path)}].${name};`)
				.join("\n"),
		}));
	},
};

/** The built-in agents as their files say, read now so that no start of pi has to. */
async function readBuiltinAgents() {
	const reader = join(outdir, "read-agents.mjs");
	await esbuild.build({
		...common,
		outdir: undefined,
		outfile: reader,
		splitting: false,
		entryPoints: ["src/agents/builtin.ts"],
		external: ["typebox", "typebox/*"],
	});
	const { readBuiltinFolder } = await import(pathToFileURL(reader));
	rmSync(reader);
	const { agents, diagnostics } = readBuiltinFolder(join(root, "agents"));
	if (diagnostics.length > 0) throw new Error(`agents/: ${diagnostics.map(({ message }) => message).join(" ")}`);
	return agents.map((agent) => ({ ...agent, file: basename(agent.file) }));
}

/** As seen from a chunk. */
const define = {
	BUILTIN_AGENTS: JSON.stringify(JSON.stringify(await readBuiltinAgents())),
	YAML_FILE: '"../yaml.js"',
	JSON5_FILE: '"../json5.js"',
	REDACTOR_FILE: '"../redactor.js"',
};
const inPi = { ...common, plugins: [withoutSocks, piModules], alias, define, external: ["bun:sqlite"] };

/** Into a file with a digest in its name, which it answers. */
async function buildChunk(name, options) {
	const { metafile } = await esbuild.build({
		...inPi,
		entryNames: `chunks/${name}-[hash]`,
		metafile: true,
		...options,
	});
	return basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint !== undefined)[0]);
}

// What all of them read first: once in a process instead of once for each.
const configFolder = join(root, "src", "config");
const configModules = readdirSync(configFolder).map((file) => `export * from "./${file}";`);
const configChunk = await buildChunk("config", {
	stdin: { contents: configModules.join("\n"), resolveDir: configFolder },
});
const sharedConfig = {
	name: "shared-config",
	setup(build) {
		build.onResolve({ filter: /^\..*\/config\/[^/]+\.ts$/ }, ({ path, resolveDir }) =>
			dirname(join(resolveDir, path)) === configFolder ? { path: `./${configChunk}`, external: true } : undefined,
		);
	},
};
// Each a bundle of its own: what else several of them use is in each, but a start of pi has half as many files to find.
for (const [name, path] of Object.entries(EXTENSIONS)) {
	const rest = await buildChunk(name, { entryPoints: [path], plugins: [sharedConfig, withoutSocks, piModules] });
	writeFileSync(join(outdir, `${name}.js`), entryOf(`./chunks/${rest}`));
}
// Loaded when the first file is read that needs them.
await esbuild.build({
	...inPi,
	entryPoints: { yaml: "yaml", json5: "json5", redactor: "src/collect/redact/redactor.ts" },
});
await esbuild.build({ ...common, entryPoints: { index: "src/index.ts" } });
// The command, which runs outside of pi: a bundle of its own, without anything of pi's. typebox is in it: there is no pi
// to have it from.
await esbuild.build({
	...common,
	entryPoints: { cli: "src/cli/main.ts" },
	minify: true,
	define,
	external: ["@earendil-works/*", "bun:sqlite"],
});
chmodSync(join(outdir, "cli.js"), 0o755);
// The thread that converts documents. Node loads it, not pi's loader, so that it may be as large as its libraries are.
await esbuild.build({
	...common,
	// Beside the chunk that starts it.
	entryPoints: { "chunks/web-convert": "src/web/convert/worker.ts" },
	minify: true,
});

// The thread that checks results against an agent's schema. typebox is in it: pi's copy is not to be had in a thread.
await esbuild.build({
	...common,
	entryPoints: { "chunks/result-check": "src/child/result-check-worker.ts" },
	minify: true,
});

// What connects processes of a ring to the proxy of their host: a program of its own.
await esbuild.build({ ...common, entryPoints: { "chunks/ring-forwarder": "src/sandbox/forwarder.ts" } });

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const types = spawnSync(
	process.execPath,
	[tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", join(outdir, "types")],
	{ stdio: "inherit" },
);
if (types.status === 0) {
	rmSync(join(root, "dist"), { recursive: true, force: true });
	renameSync(outdir, join(root, "dist"));
} else {
	rmSync(outdir, { recursive: true, force: true });
	process.exitCode = 1;
}
