import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWith } from "../../demo/processes.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { newHostId } from "../../src/run/ids.ts";
import { startHost } from "../../src/supervise/start-host.ts";
import { piGeon } from "../cli/pi-geon.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { eventually } from "../e2e/ledger-of.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids, killHostsAtWork, monitorPids } from "../helpers/hosts.ts";
import { killIfThere } from "../helpers/leaks.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { ANY_PI, piVersions, promptPi } from "../helpers/pi.ts";
import { WITHOUT_NAMESPACES } from "../helpers/run-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { useScratch } from "../ledger/scratch.ts";

const openHome = useHome();
const scratch = useScratch();

const foldersOfHosts = ({ agentDir }: Home): string[] => readdirSync(placesIn(agentDir).ringed.hosts);
const parentLog = ({ agentDir }: Home): string => readFileSync(placesIn(agentDir).parentLog, "utf8");

/** A delegation whose child waits, the first time that it is asked. */
async function underway(version: (typeof piVersions)[number]) {
	const [reached, proceed] = [gate(), gate()];
	const home = await openHome({
		pi: version,
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Done.")],
			child: async () => {
				reached.open();
				await proceed.opened;
				return finalize("Found.");
			},
		}),
	});
	const run = promptPi(home, "Go.", { version });
	await reached.opened;
	return { home, run, proceed: proceed.open };
}

describe.each(piVersions)("a host in a ring, pi %s", (version) => {
	test("continues when the process that waits for it is killed, and its run loses no attempt", async () => {
		const { home, run, proceed } = await underway(version);
		expect(monitorPids(home)).toHaveLength(1);
		for (const pid of monitorPids(home)) killIfThere(pid);
		await eventually(() => expect(parentLog(home)).toContain("a host lost the process it was started by"));
		expect(hostPids(home)).toHaveLength(1);
		proceed();
		expect(delegations(await run)[0]?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
		await eventually(() => expect(foldersOfHosts(home)).toEqual([]));
	});

	test("leaves nothing behind when it is killed", async () => {
		const { home, run, proceed } = await underway(version);
		const [killed] = foldersOfHosts(home);
		killHostsAtWork(home);
		await eventually(() => {
			expect(foldersOfHosts(home)).toHaveLength(1);
			expect(foldersOfHosts(home)).not.toContain(killed);
		});
		proceed();
		expect(delegations(await run)[0]?.results[0]).toMatchObject({ exitCode: 0, attempts: 2 });
		await eventually(() => expect(foldersOfHosts(home)).toEqual([]));
	});
});

test("what a host leaves that is killed together with its parent, gc removes", async () => {
	const { home, run, proceed } = await underway(ANY_PI);
	const everybody = processesWith("PI_GEON_TEST", home.id);
	// None may see another one die, and start anything in its place.
	for (const signal of ["SIGSTOP", "SIGKILL"] as const) for (const { pid } of everybody) killIfThere(pid, signal);
	proceed();
	expect((await run).signal).toBe("SIGKILL");
	await eventually(() => expect(processesWith("PI_GEON_TEST", home.id)).toEqual([]));
	expect(foldersOfHosts(home)).toHaveLength(1);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(foldersOfHosts(home)).toEqual([]);
	// The next to delegate removes its socket; here nobody does.
	for (const socket of globSync(join(home.agentDir, "pi-geon", "hosts", "*.sock"))) rmSync(socket);
});

test("a host that is not ready in time is ended, and not only the process that waits for it", async () => {
	const folder = scratch.folder();
	const agentDir = join(folder, "agent");
	const places = placesIn(agentDir);
	mkdirSync(places.hosts, { recursive: true });
	const program = join(folder, "idle.mjs");
	writeFileSync(
		program,
		'import { writeFileSync } from "node:fs"; writeFileSync(process.env.STARTED, ""); setInterval(() => {}, 1000);',
	);
	const id = newHostId();
	const started = join(places.hosts, "started");
	const env = { PATH: process.env.PATH ?? "", HOME: folder, IDLE_HOST: id, STARTED: started };
	const profile = {
		digest: "p",
		command: [process.execPath, program],
		env,
		agentDir,
		hostEntry: "",
		ring: { principals: [] },
	};
	const host = { id, profile: { digest: "p" }, state: "starting", socket: places.socket(id), leaseUntil: 0 } as const;
	const ended = Promise.withResolvers<string>();
	startHost(host, { profile, places, withinMs: 10_000, isReady: () => false, onExit: ended.resolve });
	await eventually(() => expect(readdirSync(places.hosts)).toContain("started"));
	expect(await ended.promise).toContain("it was not ready in time");
	await eventually(() => expect(processesWith("IDLE_HOST", id)).toEqual([]));
});

test("a ring is tried again where it no longer works, although it once did", async () => {
	const home = await openHome({
		script: dispatch({ parent: [delegateTo("explorer", "Look."), text("Done.")], child: [finalize("Found.")] }),
	});
	const hostOf = async (options: object) => delegations(await promptPi(home, "Go.", options))[0]?.results[0]?.sandbox;
	expect(await hostOf({})).toMatchObject({ host: "kernel" });
	await eventually(() => expect(hostPids(home)).toEqual([]));
	expect(await hostOf({ machine: WITHOUT_NAMESPACES })).toMatchObject({ enforced: "policy" });
});

test("where the kernel forbids it, the run continues without it, and its result says so", async () => {
	const home = await openHome({
		script: dispatch({ parent: [delegateTo("explorer", "Look."), text("Done.")], child: [finalize("Found.")] }),
	});
	const run = await promptPi(home, "Go.", { machine: WITHOUT_NAMESPACES });
	expect(delegations(run)[0]?.results[0]).toMatchObject({
		exitCode: 0,
		sandbox: { enforced: "policy", why: expect.stringContaining("bubblewrap cannot make a sandbox here: bwrap: ") },
	});
});
