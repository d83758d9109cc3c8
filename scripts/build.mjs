// Bundles the extension, the host's extension and the public exports into dist/, and writes their types.
// pi's own packages stay outside: inside pi they are pi's.
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPage } from "./page-bundle.mjs";
import { buildStart } from "./start-bundle.mjs";

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
 * pi's loader transpiles each file that imports one of pi's packages, and evaluates it again, uncached, at every start.
 * So only a few lines do: each entry takes hold of pi's packages and imports the rest, which finds them there. The rest
 * is imported by Node itself, which keeps it compiled.
 */
const takePiModules = [
	...PI_MODULES.map((name, index) => `import * as module${index} from ${JSON.stringify(name)};`),
	`Object.assign(${held} ??= {}, { ${PI_MODULES.map((name, index) => `${JSON.stringify(name)}: module${index}`).join(", ")} });`,
];

/** What is required is read at once. An import would have pi's loader look for it first, and wait for each file. */
const entryOf = (taking, loaded) =>
	[
		'import { createRequire } from "node:module";',
		...taking,
		"const load = createRequire(import.meta.url);",
		// Kept: a host loads our tools for each child.
		"let extension;",
		`export default (pi) => (extension ??= ${loaded})(pi);\n`,
	].join("\n");

const loadOf = (path, name = "default") => `load(${JSON.stringify(`./${path}`)}).${name}`;

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
	TRACES_FILE: '"../traces.js"',
	POOL_ENGINE_FILE: '"../pool-engine.cjs"',
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
const writeEntry = (name, ...parts) => writeFileSync(join(outdir, `${name}.js`), entryOf(...parts));
const buildOwn = async (name) => {
	const plugins = [sharedConfig, withoutSocks, piModules];
	return `chunks/${await buildChunk(name, { entryPoints: [EXTENSIONS[name]], plugins })}`;
};
writeEntry("host", takePiModules, loadOf(await buildOwn("host")));
// What a user's pi loads, all of it in one file.
const { host: _host, ...inUsersPi } = EXTENSIONS;
const start = await buildStart(esbuild, { root, extensions: inUsersPi, options: inPi });
const startPath = JSON.stringify(start.path);
writeEntry("extension", [...takePiModules, `${held}.start = ${startPath};`], loadOf(start.path, start.names.extension));
// Where the entry before has been loaded, these are in that file, and need nothing that only pi's loader can find: Node
// imports them. Otherwise, as in hosts, they are files of their own. If nothing has taken pi's packages yet, Node cannot
// import them, and pi's loader does.
writeFileSync(join(outdir, "pi-modules.js"), `${takePiModules.join("\n")}\n`);
for (const name of ["lsp", "web"]) {
	const [inStart, own] = [loadOf(start.path, start.names[name]), loadOf(await buildOwn(name))];
	writeEntry(
		name,
		[`if (!${held}) await import("./pi-modules.js");`],
		`(${held}.start === ${startPath} ? ${inStart} : ${own})`,
	);
}
// Loaded when the first file is read that needs them.
await esbuild.build({
	...inPi,
	entryPoints: { yaml: "yaml", json5: "json5", redactor: "src/collect/redact/redactor.ts" },
});
// Loaded where traces are sent, and nowhere else: nothing of it is in files that others share.
await esbuild.build({ ...common, entryPoints: { traces: "src/traces/exporter.ts" }, minify: true });
// The queue and the driver of PostgreSQL, loaded where a pool is configured. Not an ES module: half of it requires Node's own.
await esbuild.build({
	...common,
	entryPoints: { "pool-engine": "src/pool/libraries.ts" },
	outExtension: { ".js": ".cjs" },
	format: "cjs",
	splitting: false,
	minify: true,
	external: ["pg-native"],
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

await buildPage(esbuild, { root, outdir: join(outdir, "page") });

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
