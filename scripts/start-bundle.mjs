// The bundle that every start of pi loads. What many sessions never need, or only once they delegate, is put into other
// files, which the first call of one of their functions loads.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What is loaded later: each part at the first call of one of its functions. */
const LATE_PARTS = {
	delegation: /^src\/((child|collect|ledger|operate|plan|processes|sandbox|supervise|traces)\/|delegate\.ts$)/,
	"agent-files": /^src\/agents\/parse\.ts$/,
	"web-calls": /^src\/web\/(load-page|result|search\/search|workspace-file)\.ts$/,
};
/** Small modules among these that are used at every start, or hold constants. */
const EARLY = new Set([
	"src/collect/plain.ts",
	"src/ledger/places.ts",
	"src/ledger/process-claims.ts",
	"src/operate/denial.ts",
	"src/operate/doctor/marks.ts",
	"src/operate/report/words.ts",
	"src/operate/requests.ts",
	"src/operate/write-consents.ts",
	"src/plan/general.ts",
	"src/processes/socket-wire.ts",
	"src/processes/system-ports.ts",
	"src/processes/system-processes.ts",
	"src/supervise/ask.ts",
	"src/supervise/live-runs.ts",
	"src/supervise/process-claims.ts",
]);
/** The late part that a module belongs to, if it does. */
const partOf = (file) =>
	EARLY.has(file) ? undefined : Object.keys(LATE_PARTS).find((part) => LATE_PARTS[part].test(file));

/** Builds the extensions, by name, into one file. Returns its path, and what it exports each of them as. */
export async function buildStart(esbuild, { root, extensions, options }) {
	const start = {
		contents: Object.entries(extensions)
			.map(([name, path]) => `export { default as ${name} } from "./${path}";`)
			.join("\n"),
		resolveDir: root,
		sourcefile: "start.js",
	};
	const { early, late } = await findBoundary(esbuild, { options, start });
	const { metafile } = await esbuild.build({
		...options,
		entryPoints: ["start"],
		entryNames: "chunks/[name]-[hash]",
		metafile: true,
		logOverride: { "import-is-undefined": "error" },
		plugins: [lateModules({ root, early, late, start }), ...options.plugins],
	});
	const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".js"));
	for (const file of files.map((each) => join(root, each))) {
		const code = readFileSync(file, "utf8");
		const loading = code.replaceAll(/LATE_FILE\(import\(("[^"]+")\)\)/g, "$1");
		if (loading !== code) writeFileSync(file, loading);
	}
	// All of the start is in a file that it shares with what is loaded later; the file of the entry only renames.
	const entry = join(
		root,
		files.find((file) => metafile.outputs[file].entryPoint === "start:start"),
	);
	const renaming = readFileSync(entry, "utf8");
	rmSync(entry);
	const [, shared] = renaming.match(/^import \{[^}]*\} from "\.\/([^"]+)";\s+export \{[^}]*\};\s*$/);
	const names = [...renaming.matchAll(/(\w+) as (\w+)/g)].map(([, exported, name]) => [name, exported]);
	return { path: `chunks/${shared}`, names: Object.fromEntries(names) };
}

/** What the extensions import without coming past a late module, and the late modules that this imports. */
async function findBoundary(esbuild, { options, start }) {
	const { metafile } = await esbuild.build({ ...options, stdin: start, metafile: true, write: false });
	const early = new Set();
	const late = new Set();
	const open = [start.sourcefile];
	for (let file = open.pop(); file !== undefined; file = open.pop()) {
		if (early.has(file)) continue;
		early.add(file);
		const imported = metafile.inputs[file].imports.filter(
			({ kind, external }) => kind === "import-statement" && !external,
		);
		for (const { path } of imported) partOf(path) ? late.add(path) : open.push(path);
	}
	return { early, late: [...late].sort() };
}

const lateModules = ({ root, early, late, start }) => ({
	name: "late-modules",
	setup(build) {
		const virtual = (name, contents) => {
			build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
			build.onLoad({ filter: /.*/, namespace: name }, () => ({ contents, resolveDir: root }));
		};
		virtual("start", start.contents);
		for (const part of Object.keys(LATE_PARTS)) {
			const inPart = late.filter((file) => partOf(file) === part);
			virtual(`load-${part}`, loaderOf(part));
			virtual(part, ['import "start";', ...inPart.map((file) => reexports(root, file))].join("\n"));
		}
		build.onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind, resolveDir }) => {
			const target = join(resolveDir, path);
			if (kind === "dynamic-import") return { path: target, namespace: "after-start" };
			const isStub = early.has(relative(root, importer)) && partOf(relative(root, target)) !== undefined;
			return isStub ? { path: target, namespace: "late-stub" } : undefined;
		});
		build.onLoad({ filter: /.*/, namespace: "late-stub" }, ({ path }) => ({
			contents: stubs(root, relative(root, path)),
			resolveDir: root,
		}));
		// Everything that is loaded later imports the whole start, which is loaded by then. Otherwise the bundler splits the
		// start into a file for each combination of later parts that share some of it.
		build.onLoad({ filter: /.*/, namespace: "after-start" }, ({ path }) => ({
			contents: `import "start"; export * from ${JSON.stringify(path)};`,
			resolveDir: root,
		}));
	},
});

/** Loads at once, without waiting: who calls a late function need not know that it is one. */
const loaderOf = (part) => `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
let loaded;
export const late = () => (loaded ??= require(LATE_FILE(import("${part}"))));
`;

/** The functions and classes that a module exports. The bundler complains if a start imports anything else from it. */
function exportsOf(root, file) {
	const code = readFileSync(join(root, file), "utf8");
	const names = (pattern) => [...code.matchAll(pattern)].map(([, name]) => name);
	return {
		functions: [
			...names(/^export (?:async )?function\*? (\w+)/gm),
			...names(/^export const (\w+) = (?:async )?(?:<[^=]*?>)?\([^;]*?=>/gm),
		],
		classes: names(/^export class (\w+)/gm),
	};
}

const aliasOf = (file, name) => `${file.replaceAll(/\W/g, "_")}_${name}`;

function reexports(root, file) {
	const { functions, classes } = exportsOf(root, file);
	const names = [...functions, ...classes].map((name) => `${name} as ${aliasOf(file, name)}`);
	return `export { ${names.join(", ")} } from "./${file}";`;
}

function stubs(root, file) {
	const { functions, classes } = exportsOf(root, file);
	return [
		`import { late } from "load-${partOf(file)}";`,
		...functions.map((name) => `export const ${name} = (...args) => late().${aliasOf(file, name)}(...args);`),
		...classes.map((name) => {
			const real = `late().${aliasOf(file, name)}`;
			return `export const ${name} = new Proxy(class {}, { construct: (_, args) => new (${real})(...args), get: (_, key) => ${real}[key] });`;
		}),
	].join("\n");
}
