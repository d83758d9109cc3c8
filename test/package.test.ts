import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
// @ts-expect-error: a plain script
import { missingOptionalPackages } from "../scripts/complete-lock.mjs";
// @ts-expect-error: a plain script
import { stage } from "../scripts/stage.mjs";
import { repositoryRoot } from "./helpers/repository.ts";

interface Lock {
	packages: Record<string, { resolved?: string; version?: string; optionalDependencies?: Record<string, string> }>;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const lockFile = join(repositoryRoot, "package-lock.json");

describe("the lock file", () => {
	const { packages } = readJson(lockFile) as Lock;

	test("has every optional package of every platform, which `npm ci` insists on; `node scripts/complete-lock.mjs` adds them", () => {
		expect(missingOptionalPackages(packages)).toEqual({});
	});

	test("says nothing about where packages are downloaded from", () => {
		expect(readFileSync(lockFile, "utf8")).not.toMatch(/"resolved"|registry/);
	});

	test("a package of another platform that npm left out is added with its platform, under its parent's marks", () => {
		const parent = { dev: true, optionalDependencies: { "@a/b-linux-x64-musl": "1.0.0", "@a/b-wasm32-wasi": "1.0.0" } };
		const nested = { optionalDependencies: { "c-win32-arm64-msvc": "2.0.0", "d-darwin-x64": "2.0.0" } };
		const added = missingOptionalPackages({
			"node_modules/p": parent,
			"node_modules/q/node_modules/r": nested,
			"node_modules/q/node_modules/d-darwin-x64": {},
		});
		expect(added).toEqual({
			"node_modules/@a/b-linux-x64-musl": {
				version: "1.0.0",
				os: ["linux"],
				cpu: ["x64"],
				libc: ["musl"],
				dev: true,
				optional: true,
			},
			"node_modules/@a/b-wasm32-wasi": { version: "1.0.0", cpu: ["wasm32"], dev: true, optional: true },
			"node_modules/c-win32-arm64-msvc": { version: "2.0.0", os: ["win32"], cpu: ["arm64"], optional: true },
		});
	});
});

describe("the staged package", () => {
	const folder = mkdtempSync(join(tmpdir(), "pg-stage-"));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
	stage(folder);
	const files = globSync("**/*", { cwd: folder });

	test("can be published, and has no script that an installation would run or warn about", () => {
		const { name, version, bin, pi, ...rest } = readJson(join(folder, "package.json"));
		expect({ name, version }).toEqual({ name: "pi-geon", version: readJson(lockFile).version });
		for (const file of [...Object.values<string>(bin), ...pi.extensions])
			expect(existsSync(join(folder, file))).toBe(true);
		for (const key of ["private", "scripts", "devDependencies", "dependencies"]) expect(rest).not.toHaveProperty(key);
	});

	test("the repository itself cannot be published by mistake", () => {
		expect(readJson(join(repositoryRoot, "package.json"))).toMatchObject({ private: true });
	});

	test("has the documents for users, without the decisions", () => {
		expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "docs/operating.md"]));
		expect(files.filter((file) => /decisions|^(src|test|scripts|bench)\b/.test(file))).toEqual([]);
	});

	test("no link of its documents leads out of it", () => {
		const documents = files.filter((file) => file.endsWith(".md"));
		const dead = documents.flatMap((file) =>
			[...readFileSync(join(folder, file), "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
				.map(([, target = ""]) => target)
				.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(resolve(folder, dirname(file), target)))
				.map((target) => `${file}: ${target}`),
		);
		expect(dead).toEqual([]);
		expect(readFileSync(join(folder, "docs/abilities.md"), "utf8")).toContain("See decision 036.");
	});
});
