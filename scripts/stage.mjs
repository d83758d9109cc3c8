#!/usr/bin/env node
// Lays the package out as it is published, into .cache/package: `npm run stage`, then `npm pack ./.cache/package` or
// `npm publish ./.cache/package`. A clone needs scripts and documents that an installed package must not have.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `private` keeps `npm publish` out of a clone. npm warns about an install script like `prepare` wherever it is installed. */
const ONLY_IN_A_CLONE = ["private", "scripts", "devDependencies", "allowScripts"];

/** What npm adds to `files` by itself. */
const ALWAYS = ["README.md", "LICENSE"];

/** @param {string} folder An empty folder, or one that is not there yet. */
export function stage(folder) {
	const { manifest, files } = publishedManifest();
	mkdirSync(folder, { recursive: true });
	for (const part of [...files, ...ALWAYS]) {
		cpSync(join(root, part), join(folder, part), { recursive: true, filter: isShipped });
	}
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
		if (file.endsWith(".md")) unlinkWhatIsNotThere(join(folder, file), folder);
	}
}

function publishedManifest() {
	const all = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	const kept = Object.entries(all).filter(([key]) => !ONLY_IN_A_CLONE.includes(key));
	return { manifest: Object.fromEntries(kept), files: all.files };
}

/** Decisions are for working on the code. */
const isShipped = (path) => path !== join(root, "docs", "decisions");

/** A link to a file of the repository that is not in the package becomes its words. */
function unlinkWhatIsNotThere(file, folder) {
	const text = readFileSync(file, "utf8");
	const linked = text.replace(/(?<!!)\[([^\]]+)\]\(([^)#\s]+)(?:#[^)]*)?\)/g, (link, words, target) => {
		if (/^[a-z]+:/.test(target)) return link;
		const path = resolve(dirname(file), target);
		return path.startsWith(folder + sep) && existsSync(path) ? link : words;
	});
	if (linked !== text) writeFileSync(file, linked);
}

function main() {
	const folder = join(root, ".cache", "package");
	rmSync(folder, { recursive: true, force: true });
	stage(folder);
	console.log(folder);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
