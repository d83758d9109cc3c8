#!/usr/bin/env node
// Fetches real pages of documentation for the tests: a sample out of packages of Debian, into .cache/. They are not in the
// repository because others wrote them. Needs apt and dpkg, and root only where apt has no list of packages yet.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Small ones, each made by another program; 15 MB together. */
export const PACKAGES = [
	"asciidoctor-doc",
	"cppreference-doc-en-html",
	"cython-doc",
	"debian-policy",
	"developers-reference",
	"exim4-doc-html",
	"git-doc",
	"libglib2.0-doc",
	"libxml2-doc",
	"maint-guide",
	"mkdocs-doc",
	"python-flask-doc",
	"python-jinja2-doc",
	"python-requests-doc",
	"sbcl-doc",
];
const PAGES_EACH = 28;
const [SMALLEST, LARGEST] = [1_500, 40_000];

/** Where the pages are, a folder for each package, once fetched. */
export const pagesPath = () => join(root, ".cache", "pages-1");

export const hasApt = () => ["/usr/bin/apt-get", "/usr/bin/dpkg-deb"].every((file) => existsSync(file));

/** Makes sure that they are there. Several processes may do so at once: the first to finish wins. */
async function fetchPages() {
	if (existsSync(pagesPath())) return;
	await mkdir(dirname(pagesPath()), { recursive: true });
	const unfinished = await mkdtemp(`${pagesPath()}.unfinished-`);
	try {
		console.error("Fetching pages of documentation for the tests (15 MB, once)…");
		const debs = await mkdtemp(join(unfinished, "debs-"));
		await download(debs);
		for (const file of await readdir(debs)) if (file.endsWith(".deb")) await sample(join(debs, file), unfinished);
		await rm(debs, { recursive: true });
		await rename(unfinished, pagesPath()).catch((error) => {
			if (!existsSync(pagesPath())) throw error;
		});
	} catch (error) {
		const said = `${error?.stderr ?? ""}`.trim() || error.message;
		throw new Error(
			`Could not fetch the packages with pages for the tests.\n${said}\nRemedy: with Debian's packages in reach, run \`apt-get update\` as root and try again.`,
			{ cause: error },
		);
	} finally {
		await rm(unfinished, { recursive: true, force: true });
	}
}

/** A new machine has no list of packages, and an old list names files that are gone. */
async function download(folder) {
	// apt-get downloads as another user where it can, who may not write here.
	const apt = (...args) => run("apt-get", ["-q", "-o", "APT::Sandbox::User=root", ...args], { cwd: folder });
	try {
		await apt("download", ...PACKAGES);
	} catch (error) {
		if (process.getuid?.() !== 0) throw error;
		await apt("update");
		await apt("download", ...PACKAGES);
	}
}

async function sample(deb, into) {
	const unpacked = await mkdtemp(join(into, "unpacked-"));
	await run("dpkg-deb", ["-x", deb, unpacked]);
	const files = await readdir(unpacked, { recursive: true, withFileTypes: true });
	const pages = [];
	for (const file of files) {
		const path = join(file.parentPath, file.name);
		if (!file.isFile() || !/\.html?$/.test(file.name)) continue;
		const { size } = await stat(path);
		if (size >= SMALLEST && size <= LARGEST) pages.push(path);
	}
	pages.sort();
	const name = deb.replace(/^.*\/([^/_]+)_.*$/, "$1");
	await mkdir(join(into, name));
	const count = Math.min(PAGES_EACH, pages.length);
	const taken = Array.from({ length: count }, (_, place) => pages[Math.floor((place * pages.length) / count)]);
	for (const [place, page] of taken.entries()) await copyFile(page, join(into, name, `${place}.html`));
	await writeFile(join(into, name, "from.txt"), taken.map((page) => page.slice(unpacked.length)).join("\n"));
	await rm(unpacked, { recursive: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	try {
		await fetchPages();
		console.log(pagesPath());
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
