import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endLeftovers } from "../../src/processes/leftovers.ts";
import { newSessionId } from "../../src/run/ids.ts";

const ROUNDS = 100;

// Of the looks at a process that only ever becomes another program, about one in twelve finds no environment.
test.runIf(process.platform === "linux")("a process that is just becoming another program is found too", async () => {
	const folder = mkdtempSync(join(tmpdir(), "pg-leftovers-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const program = join(folder, "again.sh");
	writeFileSync(program, '#!/bin/sh\nexec "$0"\n', { mode: 0o700 });
	const id = newSessionId();
	const env = { ...process.env, PI_SESSION_ID: id, PI_SUBAGENT_CHILD: "1" };
	for (let round = 1; round <= ROUNDS; round++) {
		const left = spawn(program, { env, stdio: "ignore" });
		const ended = once(left, "exit");
		await once(left, "spawn");
		endLeftovers({ id, tools: ["bash"] }, expect.fail);
		const timer = setTimeout(() => left.kill("SIGTERM"), 2000);
		expect(await ended, `round ${round}`).toEqual([null, "SIGKILL"]);
		clearTimeout(timer);
	}
});
