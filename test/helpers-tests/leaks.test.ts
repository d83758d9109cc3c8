import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { probeRing } from "../../src/sandbox/probe.ts";
import { openRing, ringCommand } from "../../src/sandbox/ring.ts";
import { cleanup, expectNothingLeft, processesOf, ringedProcessesOf } from "../helpers/leaks.ts";
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

test("finds a process that a tool of pi started in a session of its own", async () => {
	await promptPi(home, "start something", { args: ["--tools", "bash"] });
	await expect(expectNothingLeft(home, { withinMs: 100 })).rejects.toThrow(/process \d+: sleep 600/);
});

test("finds what runs in a ring of the home, although it has no environment and a session of its own", async () => {
	const probe = await probeRing();
	if (!probe.can) throw new Error(probe.why);
	const none = { writable: [], readable: [], hidden: [], env: [] };
	const setup = { ...none, abilities: probe.abilities, cwd: "/", network: "off", sockets: false } as const;
	const ring = openRing({ ...setup, scratch: join(home.agentDir, "scratch") });
	const [program = "", ...args] = ringCommand(ring, ["/bin/sh", "-c", "env -i setsid sleep 600 & echo; sleep 600"]);
	const inRing = spawn(program, args, { env: {}, stdio: ["ignore", "pipe", "inherit"] });
	await once(inRing.stdout, "data");
	expect(processesOf(home)).toEqual([]);
	await expect(expectNothingLeft(home, { withinMs: 100 })).rejects.toThrow(
		/(process \d+ in a ring: .*sleep 600\n?.*){2}/s,
	);
	await cleanup(home);
	expect(ringedProcessesOf(home)).toEqual([]);
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
