import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { hostPids } from "../helpers/hosts.ts";
import { killIfThere } from "../helpers/leaks.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { PATIENCE_MS } from "../helpers/patience.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

/** By its arguments alone: it has no environment, and a session of its own. */
function sleepers(seconds: number): string[] {
	return readdirSync("/proc").filter((pid) => {
		try {
			return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === ["sleep", seconds, ""].join("\0");
		} catch {
			return false; // It has ended meanwhile.
		}
	});
}

describe.each(piVersions)("processes that hide from their host, pi %s", (version) => {
	const open = (seconds: number, config: object) => {
		let asked = 0;
		return openHome({
			pi: version,
			config: { subagents: { allowWrite: true, ...config } },
			agents: { "worker.md": agentNamed("worker", "You work.", "tools: bash") },
			script: dispatch({
				parent: [delegateTo("worker", "Work."), text("Done.")],
				child: () =>
					asked++ > 0
						? finalize("Went on.")
						: toolCall("bash", { command: `(env -i setsid sleep ${seconds} &) ; sleep ${seconds}` }),
			}),
		});
	};

	test("are gone within a second after kill -9 of the host", async () => {
		const seconds = 5_000_000 + process.pid;
		const home = await open(seconds, {});
		const run = promptPi(home, "Go.", { version });
		await vi.waitFor(() => expect(sleepers(seconds)).toHaveLength(2), { timeout: PATIENCE_MS, interval: 20 });
		for (const pid of hostPids(home)) killIfThere(pid);
		await vi.waitFor(() => expect(sleepers(seconds)).toEqual([]), { timeout: 1000, interval: 20 });
		expect(delegations(await run)[0]?.results[0]?.attempts).toBe(2);
	});

	test("are gone within a second after the run has ended by a time limit", async () => {
		const seconds = 6_000_000 + process.pid;
		const home = await open(seconds, { toolTimeoutMs: 2500, retry: { enabled: false } });
		const run = await promptPi(home, "Go.", { version });
		expect(delegations(run)[0]?.results[0]).toMatchObject({ exitCode: 124, timeoutReason: "tool" });
		await vi.waitFor(() => expect(sleepers(seconds)).toEqual([]), { timeout: 1000, interval: 20 });
	});
});
