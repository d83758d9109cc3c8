import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { afterEach, expect, test, vi } from "vitest";
import { WATCHABLE } from "../../src/child/provider-watch.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { warmUp } from "../../src/host/warm-up.ts";
import type { HostId } from "../../src/run/ids.ts";

afterEach(() => {
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
});

async function warmUpFor(api: string, isIdle = () => true) {
	const agentDir = mkdtempSync(join(tmpdir(), "pi-geon-warm-up-agent-"));
	const outcomes = await warmUp({
		hostId: "12345678" as HostId,
		agentDir,
		cwd: agentDir,
		api,
		tools: ["read", "grep"],
		extensions: [],
		redactor: createRedactor({ secrets: [], homeDir: "/home/nobody" }),
		ui: {} as ExtensionUIContext,
		isIdle,
	});
	const left = readdirSync(agentDir, { recursive: true });
	rmSync(agentDir, { recursive: true });
	expect(left).toEqual([]);
	return outcomes;
}

/** Whichever model the user has, a run is worked on to its end, in no file and over no connection but to ourselves. */
test.each([...WATCHABLE])("a host warms up for %s without a trace, and without any request", async (api) => {
	const requests = vi.spyOn(globalThis, "fetch");
	const [outcome] = await warmUpFor(api);
	for (const [url] of [...requests.mock.calls]) {
		expect(new URL(String(url)).hostname).toBe("127.0.0.1");
		await expect(fetch(String(url))).rejects.toThrow(); // Nobody listens there any more.
	}
	// pi would say so of a protocol that does not belong on this list, and no child could ask its model.
	expect(JSON.stringify(outcome)).not.toContain("Custom fetch is not supported");
	// Those whose answer is written down go all the way; the others get as far as a refusal.
	const goesAllTheWay = ["openai-completions", "anthropic-messages"].includes(api);
	expect(outcome).toMatchObject(
		goesAllTheWay
			? { status: "success", finalized: { status: "SUCCESS", result: "Nothing." } }
			: { status: "error", error: { code: "SUBAGENT_FAILED" } },
	);
});

test("behind a proxy it does not even ask itself", async () => {
	vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9");
	const requests = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("No request was to be made."));
	expect(await warmUpFor("openai-completions")).toMatchObject([{ status: "success" }, { status: "success" }]);
	expect(requests).not.toHaveBeenCalled();
});

test("it stops when a run arrives", async () => {
	let asked = 0;
	expect(await warmUpFor("openai-completions", () => ++asked === 1)).toHaveLength(1);
});
