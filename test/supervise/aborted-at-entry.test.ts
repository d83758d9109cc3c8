import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { listHosts } from "../../src/ledger/hosts.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import { HostProfiles } from "../../src/supervise/host-profiles.ts";
import { Hosts } from "../../src/supervise/hosts.ts";
import { Supervisor } from "../../src/supervise/supervisor.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** A profile whose host would be this program, which fails at once: the test sees it if one is started. */
const profile = { digest: "p", command: [process.execPath], env: {}, agentDir: tmpdir(), hostEntry: "nowhere.js" };

test("a run whose signal is aborted when it is waited for ends as stopped, and no host is started for it", async () => {
	const ledger = await scratch.ledger();
	const hosts = new Hosts({ ledger, places: placesIn(tmpdir()), profiles: new HostProfiles(profile), ports });
	const supervisor = new Supervisor({ ledger, hosts, ports });
	const { run } = admitRun(ledger, admission({ profile: "p" }));
	const ended = await supervisor.watch(run.id, { signal: AbortSignal.abort() });
	supervisor.dispose();
	expect(ended.run.outcome).toMatchObject({
		status: "error",
		exitCode: 130,
		attempts: 0,
		error: { code: "SUBAGENT_FAILED", reason: "stopped" },
	});
	expect(ended.run.delivery).toEqual({ state: "owed" });
	expect(listHosts(ledger)).toEqual([]);
});
