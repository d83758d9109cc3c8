import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Clock, systemClock as clock } from "../../src/ports/clock.ts";
import { type HookRun, runHook } from "../../src/processes/hook.ts";
import { eventually } from "../e2e/ledger-of.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-hook-")));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => rmSync(join(folder, "pid"), { force: true }));

const node = (program: string, more: Partial<HookRun> = {}) =>
	runHook({ command: [process.execPath, "-e", program], cwd: folder, timeoutMs: 60_000, input: {}, clock, ...more });

const READ = `const given = JSON.parse(require("fs").readFileSync(0, "utf8"));`;

test("a hook gets its input as JSON on stdin, and its arguments as they are", async () => {
	const program = `${READ} process.stdout.write(given.word + process.argv[1] + process.cwd())`;
	const command = [process.execPath, "-e", program, "$HOME; `id` *"];
	expect(await node("", { command, input: { word: "marzipan" } })).toEqual({
		kind: "exited",
		code: 0,
		said: `marzipan$HOME; \`id\` *${folder}`,
	});
});

test("what it says on stderr goes before what it says on stdout", async () => {
	const program = `console.log("out"); console.error("err"); process.exitCode = 3`;
	expect(await node(program)).toEqual({ kind: "exited", code: 3, said: "err" });
});

test("one that hangs is ended with all that it started", async () => {
	const sleeper = `require("child_process").spawn("sleep", ["600"], { stdio: "inherit" }).pid`;
	const program = `console.log("begun"); require("fs").writeFileSync("pid", String(${sleeper})); setInterval(() => {}, 1e6)`;
	let timeIsUp = () => {};
	const after: Clock["after"] = (_, call) => {
		timeIsUp = call;
		return () => {};
	};
	const ended = node(program, { clock: { ...clock, after } });
	const file = join(folder, "pid");
	await eventually(() => expect(existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+$/));
	timeIsUp();
	expect(await ended).toMatchObject({ kind: "hung" });
	const pid = Number(readFileSync(file, "utf8"));
	await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
});

test("one that is not there, or may not be run, is told apart", async () => {
	expect(await node("", { command: ["/nowhere/gate"] })).toEqual({
		kind: "not_started",
		why: expect.stringContaining("ENOENT"),
	});
	expect(await node("", { command: [folder] })).toEqual({
		kind: "not_started",
		why: expect.stringContaining("EACCES"),
	});
});

test("one that a signal ends has not agreed", async () => {
	expect(await node(`process.kill(process.pid, "SIGKILL")`)).toEqual({ kind: "killed", by: "SIGKILL", said: "" });
});

test("one that is not waited for any more is ended", async () => {
	const stop = new AbortController();
	const ended = node("setInterval(() => {}, 1e6)", { signal: stop.signal });
	stop.abort();
	expect(await ended).toEqual({ kind: "aborted" });
	expect(await node("", { signal: stop.signal })).toEqual({ kind: "aborted" });
});

test("one that neither reads its input nor stops talking is read for a while, and does no harm", async () => {
	const program = `process.stdin.destroy(); for (let i = 0; i < 100; i++) console.log("x".repeat(10_000))`;
	const ended = await node(program, { input: { task: "y".repeat(2_000_000) } });
	expect(ended).toMatchObject({ kind: "exited", code: 0 });
	expect("said" in ended && ended.said.length).toBeLessThanOrEqual(16 * 1024);
});

test("a process that a hook leaves behind with its pipes does not hold it up", async () => {
	const program = `require("child_process").spawn("sleep", ["2"], { stdio: "inherit", detached: true }).unref(); console.log("ok")`;
	expect(await node(program)).toEqual({ kind: "exited", code: 0, said: "ok" });
});

test("of many at once a few run and the others wait, each for its own time limit", async () => {
	const begun = join(folder, "begun");
	const program = `require("fs").appendFileSync("begun", "x"); process.stdin.resume().on("end", () => {})`;
	const stop = new AbortController();
	const hang = `require("fs").appendFileSync("begun", "x"); setInterval(() => {}, 1e6)`;
	const hanging = Array.from({ length: 8 }, () => node(hang, { signal: stop.signal }));
	const waiting = Array.from({ length: 3 }, () => node(program));
	await eventually(() => expect(existsSync(begun) && readFileSync(begun, "utf8")).toBe("x".repeat(8)));
	stop.abort();
	expect(await Promise.all(hanging)).toEqual(Array.from({ length: 8 }, () => ({ kind: "aborted" })));
	expect(await Promise.all(waiting)).toEqual(Array.from({ length: 3 }, () => ({ kind: "exited", code: 0, said: "" })));
	expect(readFileSync(begun, "utf8")).toBe("x".repeat(11));
});
