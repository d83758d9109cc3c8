import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { warmUp } from "../../src/host/warm-up.ts";
import type { HostId } from "../../src/run/ids.ts";

/** A pi that gives a session its usual tools, whatever list it got. Those there are do not. */
vi.mock(import("@earendil-works/pi-coding-agent"), async (importPi) => {
	const pi = await importPi();
	return { ...pi, createAgentSession: ({ tools: _ignored, ...options } = {}) => pi.createAgentSession(options) };
});

test("a child that has more tools than its plan is not asked anything", async () => {
	const requests = vi.spyOn(globalThis, "fetch");
	const agentDir = mkdtempSync(join(tmpdir(), "pi-geon-unplanned-"));
	onTestFinished(() => {
		requests.mockRestore();
		rmSync(agentDir, { recursive: true });
	});
	const [outcome] = await warmUp({
		hostId: "12345678" as HostId,
		...{ agentDir, cwd: agentDir, api: "openai-completions", tools: ["read"], extensions: [] },
		redactor: createRedactor({ secrets: [], homeDir: "/home/nobody" }),
		ui: {} as ExtensionUIContext,
		isIdle: () => true,
	});
	expect(outcome).toMatchObject({
		error: { code: "SUBAGENT_FAILED", reason: "setup", message: expect.stringMatching(/Not planned: .*\bbash\b/) },
		usage: { turns: 0 },
	});
	expect(requests).not.toHaveBeenCalled();
});
