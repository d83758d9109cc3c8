import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { SEARCH_RING } from "../../src/sandbox/search-ring.ts";
import { searchPrograms } from "../../src/supervise/search-programs.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** Folders with programs, each of which says its name and its arguments. A shell has to quote their paths. */
function machine() {
	const top = join(scratch.folder(), "it's $HOME");
	const at = (...path: string[]) => join(top, ...path);
	const [folder, bin, ownPrograms, ring] = [at("scripts"), at("bin"), at("own"), at("ring.sh")];
	for (const path of [folder, bin, ownPrograms]) mkdirSync(path, { recursive: true });
	writeFileSync(ring, `printf '%s\\n' "in the ring" "$@"; exit 7\n`);
	return {
		folder,
		bin,
		ownPrograms,
		at,
		program: (...path: string[]) => {
			const file = at(...path);
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' ${path.join("/")} "$@"\n`, { mode: 0o755 });
			return file;
		},
		find: (path = "", area: string[] = []) => searchPrograms({ folder, bin, ownPrograms, path, area }),
		scripts: () => readdirSync(folder),
		run: (name: string, args: string[], { inRing = false } = {}) => {
			const options = { encoding: "utf8", env: inRing ? { [SEARCH_RING]: ring } : {} } as const;
			try {
				return { code: 0, said: execFileSync(join(folder, name), args, options) };
			} catch (error) {
				const { status, stdout } = error as { status: number; stdout: string };
				return { code: status, said: stdout };
			}
		},
	};
}

const ARGS = ["two words", "it's $PATH", "*"];
const lines = (...said: string[]) => said.map((line) => `${line}\n`).join("");

test("a program on the PATH is started as it is where no run searches", () => {
	const { at, program, find, run } = machine();
	program("path", "rg");
	expect(find(at("path"))).toEqual({ names: ["rg"], shown: [], onPath: true });
	expect(run("rg", ARGS)).toEqual({ code: 0, said: lines("path/rg", ...ARGS) });
	expect(run("rg", ["--version"]).said).toBe(lines("path/rg", "--version"));
});

test("where a run searches, its ring gets the program and the arguments, and how it ends is the answer", () => {
	const { at, program, find, run } = machine();
	const rg = program("path", "rg");
	find(at("path"));
	expect(run("rg", ARGS, { inRing: true })).toEqual({ code: 7, said: lines("in the ring", rg, ...ARGS) });
});

test("where a run searches, a question for the version is answered without a ring", () => {
	const { at, program, find, run } = machine();
	program("path", "rg");
	find(at("path"));
	expect(run("rg", ["--version"], { inRing: true })).toEqual({ code: 0, said: "" });
	expect(run("rg", ["x", "--version"], { inRing: true }).code).toBe(7);
});

test("a program in the folder of pi is covered by its script, and is started from where it is seen instead", () => {
	const { folder, bin, ownPrograms, at, program, find, run } = machine();
	program("bin", "rg");
	program("own", "rg");
	program("path", "rg");
	expect(find(at("path"))).toEqual({
		names: ["rg"],
		shown: [
			{ from: bin, at: ownPrograms },
			{ from: join(folder, "rg"), at: join(bin, "rg") },
		],
		onPath: false,
	});
	expect(run("rg", ARGS).said).toBe(lines("own/rg", ...ARGS));
	expect(run("rg", ARGS, { inRing: true }).said).toBe(lines("in the ring", join(ownPrograms, "rg"), ...ARGS));
});

test("one may be in the folder of pi and the other on the PATH", () => {
	const { at, program, find } = machine();
	program("bin", "rg");
	program("path", "fd");
	expect(find(at("path"))).toMatchObject({ names: ["rg", "fd"], shown: [{}, {}], onPath: true });
});

test("a link in the folder of pi cannot be covered, so it gets no script", () => {
	const { at, program, find, scripts } = machine();
	symlinkSync(program("path", "rg"), at("bin", "rg"));
	expect(find(at("path"))).toEqual({ names: [], shown: [], onPath: false });
	expect(scripts()).toEqual([]);
});

test("fd is preferred to fdfind wherever it is, and fdfind is found under its name", () => {
	const { at, program, find, run } = machine();
	program("first", "fdfind");
	find(at("first"));
	expect(run("fd", []).said).toBe(lines("first/fdfind"));
	program("second", "fd");
	find(`${at("first")}:${at("second")}`);
	expect(run("fd", []).said).toBe(lines("second/fd"));
});

test("what cannot be run is passed over, and so are folders that depend on where a process works", () => {
	const { at, program, find, run, scripts } = machine();
	chmodSync(program("first", "rg"), 0o644);
	program("second", "rg");
	const fromHere = relative(process.cwd(), at("second"));
	expect(find(`${at("first")}:${fromHere}::`)).toEqual({ names: [], shown: [], onPath: false });
	expect(scripts()).toEqual([]);
	expect(find(`${at("first")}:${at("second")}`).names).toEqual(["rg"]);
	expect(run("rg", []).said).toBe(lines("second/rg"));
});

test("a program of the project is passed over, also through a link, and never found instead of none", () => {
	const { at, program, find, run, scripts } = machine();
	const rg = program("project", "rg");
	mkdirSync(at("links"));
	symlinkSync(rg, at("links", "rg"));
	symlinkSync(at("project", "comes", "later"), at("links", "fd"));
	const area = [at("project")];
	for (const path of [at("project"), at("links")]) {
		expect(find(path, area)).toMatchObject({ onPath: true });
		expect(run("rg", ARGS)).toEqual({ code: 127, said: "" });
	}
	expect(scripts()).toEqual(["fd", "rg"]);
	program("path", "rg");
	find(`${at("project")}:${at("links")}:${at("path")}`, area);
	expect(run("rg", ARGS).said).toBe(lines("path/rg", ...ARGS));
});
