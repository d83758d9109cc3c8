import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { removeAll } from "../../src/files/remove-all.ts";
import { findBwrap } from "../../src/sandbox/probe.ts";

/** Programs that pi-geon itself starts, while the user's PATH names folders of a project. */

function scratch(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pg-own-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function program(path: string, text = "#!/bin/sh\nexit 1\n"): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, 0o755);
	return path;
}

test("the sandbox is not made by a bwrap that a project brings", () => {
	const top = scratch();
	mkdirSync(join(top, "project", ".git"), { recursive: true });
	for (const folder of ["project/bin", "elsewhere/node_modules/.bin", "elsewhere/.venv/bin", "links"])
		mkdirSync(join(top, folder), { recursive: true });
	for (const folder of ["project/bin", "elsewhere/node_modules/.bin", "elsewhere/.venv/bin"])
		program(join(top, folder, "bwrap"));
	symlinkSync(join(top, "project", "bin", "bwrap"), join(top, "links", "bwrap"));
	const path = ["project/bin", "elsewhere/node_modules/.bin", "elsewhere/.venv/bin", "links"].map((folder) =>
		join(top, folder),
	);
	expect(findBwrap(path.join(delimiter), [])).toBeUndefined();
	const own = program(join(top, "own", "bwrap"));
	expect(findBwrap([...path, join(top, "own")].join(delimiter), [])).toBe(own);
});

test("what a subagent left is not removed with programs of a project", async () => {
	const top = scratch();
	for (const name of ["chmod", "rm"])
		program(join(top, "bin", name), `#!/bin/sh\necho "$0" >> '${join(top, "mark")}'\n`);
	// Too deep for the path of any file.
	const left = join(top, "left");
	mkdirSync(left);
	const before = process.cwd();
	process.chdir(left);
	for (let depth = 0; depth < 30; depth++) {
		mkdirSync("d".repeat(200));
		process.chdir("d".repeat(200));
	}
	process.chdir(before);
	vi.stubEnv("PATH", join(top, "bin"));
	onTestFinished(() => void vi.unstubAllEnvs());
	await removeAll(left);
	expect(existsSync(left)).toBe(false);
	expect(existsSync(join(top, "mark"))).toBe(false);
});
