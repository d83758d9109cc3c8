import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hookFor, stopHookFor } from "../../src/plan/hooks.ts";
import { configOf } from "./launching.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-hooks-")));
afterAll(() => rmSync(root, { recursive: true }));

const project = join(root, "project");
const bin = join(root, "bin");
const agentDir = join(root, "agent");

function program(file: string): string {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, "#!/bin/sh\n");
	chmodSync(file, 0o755);
	return file;
}
mkdirSync(project, { recursive: true });
program(join(bin, "gate"));
program(join(project, "node_modules", ".bin", "gate"));
program(join(project, "node_modules", ".bin", "theirs"));
symlinkSync(join(project, "node_modules", ".bin", "theirs"), join(bin, "linked"));

const path = [join(project, "node_modules", ".bin"), ".", "", "node_modules/.bin", bin].join(delimiter);
const sourcesWith = (hooks: object) => ({ config: configOf({ subagents: { hooks } }), agentDir, cwd: project, path });
const start = (...command: string[]) => hookFor("start", sourcesWith({ start: command }));

test("without a setting there is no hook", () => {
	expect(hookFor("start", sourcesWith({}))).toBeUndefined();
	expect(stopHookFor(sourcesWith({ start: ["gate"] }))).toEqual({});
});

test("a name is looked for on the PATH, in whole folders that are not the project's", () => {
	expect(start("gate", "-v", "-v")).toEqual({
		command: [join(bin, "gate"), "-v", "-v"],
		timeoutMs: 10_000,
		cwd: agentDir,
	});
});

test.each(["theirs", "linked"])("%s, which leads into the project, is not run", (name) => {
	expect(start(name)).toEqual({
		problem: expect.stringMatching(/no program "\w+" on the PATH, except in this project/),
	});
});

test("what is not there is a problem, and so is a path that depends on where one is", () => {
	expect(start("nothing-like-it")).toEqual({ problem: 'there is no program "nothing-like-it" on the PATH' });
	expect(start("./gate")).toEqual({ problem: '"./gate" is not an absolute path' });
});

test("a whole path is taken as it is, and ~ is the home folder", () => {
	expect(start("/opt/gate")).toMatchObject({ command: ["/opt/gate"] });
	expect(start("~/bin/gate")).toMatchObject({ command: [join(homedir(), "bin", "gate")] });
});

test("a stop hook is frozen with its time limit, also one that is not found: the log says so when it should run", () => {
	expect(stopHookFor(sourcesWith({ stop: ["gate"], timeoutMs: 5 }))).toEqual({
		stopHook: { command: [join(bin, "gate")], timeoutMs: 5, cwd: agentDir },
	});
	expect(stopHookFor(sourcesWith({ stop: ["nothing-like-it"] }))).toMatchObject({
		stopHook: { command: ["nothing-like-it"] },
	});
});
