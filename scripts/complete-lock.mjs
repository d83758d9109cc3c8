#!/usr/bin/env node
// Adds to package-lock.json the optional packages of other platforms that npm left out, so that `npm ci` accepts it
// everywhere. npm leaves out what the registry did not offer when it wrote the file. An added entry has no checksum.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const PLATFORM = /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-([a-z]+))?$/;

/**
 * Every optional package that a package of the lock file asks for and the lock file does not have, as lock entries.
 * @param {Record<string, any>} packages
 * @returns {Record<string, object>}
 */
export function missingOptionalPackages(packages) {
	const missing = {};
	for (const [path, entry] of Object.entries(packages)) {
		for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
			if (isFoundFrom(path, name, packages)) continue;
			const { os, cpu, libc } = platformOf(name);
			const { dev, peer } = entry;
			// In npm's order; what is undefined is not written.
			missing[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os, peer };
		}
	}
	return missing;
}

/** As Node looks for it: in the folder of the package, then in each folder above. */
function isFoundFrom(path, name, packages) {
	const end = path.lastIndexOf("node_modules/");
	return (
		`${path}/node_modules/${name}` in packages ||
		(end < 0 ? `node_modules/${name}` in packages : isFoundFrom(path.slice(0, Math.max(0, end - 1)), name, packages))
	);
}

/** These packages are named after the one platform that they are for. */
function platformOf(name) {
	if (name.endsWith("-wasm32-wasi")) return { cpu: ["wasm32"] };
	const [, os, cpu, abi = ""] = PLATFORM.exec(name) ?? [];
	if (!os) throw new Error(`Which platform is ${name} for? Add it to scripts/complete-lock.mjs.`);
	const libc = abi.startsWith("musl") ? ["musl"] : abi === "gnu" ? ["glibc"] : undefined;
	return { os: [os], cpu: [cpu], libc };
}

function main() {
	const file = join(dirname(dirname(fileURLToPath(import.meta.url))), "package-lock.json");
	const lock = JSON.parse(readFileSync(file, "utf8"));
	const added = missingOptionalPackages(lock.packages);
	const names = Object.keys({ ...lock.packages, ...added }).sort((a, b) => a.localeCompare(b, "en"));
	lock.packages = Object.fromEntries(names.map((name) => [name, lock.packages[name] ?? added[name]]));
	writeFileSync(file, `${JSON.stringify(lock, null, "\t")}\n`);
	console.log(`Added ${Object.keys(added).length} packages of other platforms to package-lock.json.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
