import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { hostPids, killHosts, killHostsAtWork } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

/** By its arguments alone: it has no environment, and a session of its own. */
function sleepers(seconds: number): string[] {
	return readdirSync("/proc").filter((pid) => {
		try {
			return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === ["sleep", seconds, ""].join("\0");
		} catch {
			return false; // It has finished meanwhile.
		}
	});
}

describe.each(somePi(import.meta.url))("processes that hide from their host, pi %s", (version) => {
	const open = (seconds: number, config: object) => {
		let asked = 0;
		return openHome({
			pi: version,
			env: { PI_GEON_HOST_IDLE_MS: "600000" },
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

	test("are gone after kill -9 of the host", async () => {
		const seconds = 5_000_000 + process.pid;
		const home = await open(seconds, {});
		const run = promptPi(home, "Go.", { version });
		await eventually(() => expect(sleepers(seconds)).toHaveLength(2));
		killHostsAtWork(home);
		await eventually(() => expect(sleepers(seconds)).toEqual([]));
		expect(delegations(await run)[0]?.results[0]?.attempts).toBe(2);
		killHosts(home, "SIGTERM");
	});

	test("are gone after a time limit ended the run, while its host is still there", async () => {
		const seconds = 6_000_000 + process.pid;
		const home = await open(seconds, { toolTimeoutMs: 2500, retry: { enabled: false } });
		const run = await promptPi(home, "Go.", { version });
		expect(delegations(run)[0]?.results[0]).toMatchObject({ exitCode: 124, timeoutReason: "tool" });
		await eventually(() => {
			expect(sleepers(seconds)).toEqual([]);
		});
		const [host] = inLedger<{ pid: number }>(home, "SELECT pid FROM hosts JOIN attempts ON host_id = id");
		expect(hostPids(home)).toContain(host?.pid);
		killHosts(home, "SIGTERM");
	});
});
