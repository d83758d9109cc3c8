import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { stagedPackage } from "../helpers/repository.ts";

const dist = (): string => join(stagedPackage(), "dist");

/** Files that are loaded as soon as this one is. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
	if (seen.has(file)) return seen;
	seen.add(file);
	const text = readFileSync(file, "utf8");
	const named = [...text.matchAll(/(?:\bfrom|\bimport|\bload\()\s*"(\.[^"]+)"/g)].map(([, path]) => path ?? "");
	for (const path of named) loadedWith(join(dirname(file), path), seen);
	return seen;
}

/** Words of our tables, which every part of the pool needs. */
const isOfPool = (file: string): boolean => /pi_geon\.(lines|orders|progress|workers)/.test(readFileSync(file, "utf8"));

test("without a pool, neither a pi, nor a host, nor the command loads anything of it", () => {
	for (const entry of ["extension.js", "host.js", "lsp.js", "web.js", "cli.js", "index.js"]) {
		const loaded = [...loadedWith(join(dist(), entry))];
		expect(
			loaded.filter(isOfPool).map((file) => relative(dist(), file)),
			entry,
		).toEqual([]);
		expect(
			loaded.some((file) => file.includes("pool-engine")),
			entry,
		).toBe(false);
	}
	// It is there, in files of its own.
	expect(
		globSync("chunks/*.js", { cwd: dist() }).filter((file) => isOfPool(join(dist(), file))).length,
	).toBeGreaterThan(0);
	const withQueue = globSync("**/*.{js,cjs}", { cwd: dist() }).filter((file) =>
		readFileSync(join(dist(), file), "utf8").includes("heartbeat_seconds IS NOT NULL"),
	);
	expect(withQueue).toEqual(["pool-engine.cjs"]);
});
