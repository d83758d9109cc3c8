import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanup, expectNothingLeft, processesOf } from "../helpers/leaks.ts";
import { type ScriptedModel, startModel } from "../helpers/model.ts";
import { toolCall } from "../helpers/model-steps.ts";
import { type Home, makeHome, promptPi } from "../helpers/pi.ts";

// Without useHome(): here things are left behind on purpose.
let model: ScriptedModel;
let home: Home;

beforeEach(async () => {
	const line = "setsid sleep 600 >/dev/null 2>&1 & echo started";
	model = await startModel(({ turn }) => (turn === 0 ? toolCall("bash", { command: line }) : "left it running"));
	home = await makeHome({ model, extension: false });
});
afterEach(async () => {
	await cleanup(home);
	await model.close();
});

const sleeper = (env: NodeJS.ProcessEnv): ChildProcess =>
	spawn(process.execPath, ["-e", "setTimeout(() => {}, 600_000)"], { env, stdio: "ignore", detached: true });

test("finds a detached process by its mark, and no other", async () => {
	const marked = sleeper({ ...home.env });
	const foreign = sleeper({ ...home.env, PI_GEON_TEST: "another-test" });
	try {
		await expect(expectNothingLeft(home, { withinMs: 100 })).rejects.toThrow(`process ${marked.pid}: `);
		expect(processesOf(home).map(({ pid }) => pid)).toEqual([marked.pid]);
		await cleanup(home);
		expect(processesOf(home)).toEqual([]);
		expect(existsSync(home.scratch)).toBe(false);
		expect(foreign.exitCode ?? foreign.signalCode).toBeNull();
	} finally {
		foreign.kill("SIGKILL");
	}
});

test("finds what a tool of pi started in a session of its own", async () => {
	await promptPi(home, "start something", { args: ["--tools", "bash"] });
	await expect(expectNothingLeft(home, { withinMs: 100 })).rejects.toThrow(/process \d+: sleep 600/);
});

test("is satisfied once what was there has gone", async () => {
	const marked = sleeper({ ...home.env });
	const waiting = expectNothingLeft(home, { withinMs: 5_000 });
	marked.kill("SIGKILL");
	await expect(waiting).resolves.toBeUndefined();
});

test("finds sockets and our files in the temp folder, and leaves alone what pi keeps there", async () => {
	await writeFile(join(home.temp, "pi-bash-output.log"), "");
	await expectNothingLeft(home, { withinMs: 0 });
	const socket = join(home.agentDir, "host.sock");
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(socket, resolve));
	await expect(expectNothingLeft(home, { withinMs: 0 })).rejects.toThrow(`socket ${socket}`);
	await new Promise((resolve) => server.close(resolve));
	await writeFile(join(home.temp, "pi-geon-x"), "");
	await expect(expectNothingLeft(home, { withinMs: 0 })).rejects.toThrow("temporary file");
});
