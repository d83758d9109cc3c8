import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processStart } from "../../src/processes/process-start.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostsAtWork, killHosts, killHostsAtWork } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, promptPi, startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions, readTranscript } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const DEADLY_TOOLS = join(repositoryRoot, "test", "children", "deadly-tools.ts");
const isGone = (pid: number): boolean => processStart(pid) === undefined;

/** By the ledger: a process that a host is about to start looks like one for a moment. */
const onlyHost = (home: Home): number => {
	const [pid, ...others] = hostsAtWork(home);
	if (pid === undefined || others.length > 0) throw new Error("There is not exactly one host at work.");
	return pid;
};

describe.each(piVersions)("on pi %s", (version) => {
	test("a host killed with eight runs in it: all continue in a new one, told so once, and repeat nothing", {
		timeout: 120_000,
	}, async () => {
		const tasks = Array.from({ length: 8 }, (_, n) => `Task ${n}.`);
		const isShell = (task: string) => Number(task.slice(5, 6)) % 2 === 0;
		let killedAt = 0;
		const home: Home = await openHome({
			agents: { "worker.md": agentNamed("worker", "You work.", "tools: ls, bash") },
			config: { subagents: { allowWrite: true } },
			script: dispatch({
				parent: [tasks.map((task) => delegateTo("worker", task)), text("Done.")],
				child: (request) => {
					const task = request.firstUserText;
					if (interruptions(request) > 0) return finalize(`Answer to ${task}`);
					// Half of them are in the middle of a tool call, the others in the middle of an answer.
					if (request.turn === 0) return [text("Let me see."), toolCall("ls", { path: "." })];
					if (!isShell(task)) return [text("I think that"), hang()];
					return toolCall("bash", { command: `touch started-${task.slice(5, 6)}; sleep 300` });
				},
			}),
		});
		const running = promptPi(home, "Go.", { version, timeoutMs: 110_000 });
		await eventually(() => {
			for (const task of tasks) {
				if (isShell(task)) expect(existsSync(join(home.project, `started-${task.slice(5, 6)}`))).toBe(true);
				else expect(home.model.requests.some((r) => r.firstUserText === task && r.turn === 1)).toBe(true);
			}
		});
		killedAt = performance.now();
		killHostsAtWork(home);
		const run = await running;
		const again = home.model.requests.filter((request) => interruptions(request) > 0);
		const took = Math.max(...again.map(({ startedAt }) => startedAt)) - killedAt;
		console.log(`pi ${version}: the last of 8 runs went on ${Math.round(took)} ms after the kill`);

		expect(delegations(run)).toHaveLength(8);
		for (const { results } of delegations(run)) {
			const [result] = results;
			expect(result).toMatchObject({ exitCode: 0, output: `Answer to ${result?.task}`, attempts: 2 });
			const calls = isShell(result?.task ?? "") ? ["ls", "bash"] : ["ls"];
			expect(readTranscript(result?.sessionFile ?? "")).toMatchObject({
				interruptions: 1,
				toolCalls: [...calls, "subagent_finalize"],
				isOneLine: true,
			});
		}
		const hosts = inLedger<{ n: number }>(home, "SELECT count(DISTINCT host_id) AS n FROM attempts");
		expect(hosts).toEqual([{ n: 2 }]);
	});
});

describe("a host suspended past its lease", () => {
	/** A child whose second answer comes while its host is suspended, and whose third asks its next host. */
	async function suspended(whenSuspended: (home: Home, pid: number) => void) {
		const [taken, may] = [gate(), gate()];
		let pid = 0;
		const home: Home = await openHome({
			env: { PI_GEON_LEASE_MS: "3000" },
			script: dispatch({
				parent: [delegateTo("explorer", "Find it."), text("Done.")],
				child: async (request) => {
					if (interruptions(request) > 0) {
						taken.open();
						await may.opened;
						return finalize("From the new host.");
					}
					if (request.turn === 0) return toolCall("ls", { path: "." });
					pid = onlyHost(home);
					process.kill(pid, "SIGSTOP");
					whenSuspended(home, pid);
					// Into the socket of a process that does not read: it finds this when it comes back.
					return finalize("From the suspended host.");
				},
			}),
		});
		const running = promptPi(home, "Go.", { timeoutMs: 60_000 });
		await taken.opened;
		return { home, pid, running, letGo: may.open };
	}

	async function expectOneWriter(running: ReturnType<typeof promptPi>): Promise<void> {
		const [details] = delegations(await running);
		expect(details?.results[0]).toMatchObject({ exitCode: 0, output: "From the new host.", attempts: 2 });
		const transcript = readTranscript(details?.results[0]?.sessionFile ?? "");
		expect(transcript).toMatchObject({ interruptions: 1, isOneLine: true, toolCalls: ["ls", "subagent_finalize"] });
		expect(transcript.text).not.toContain("From the suspended host.");
	}

	test("is ended before another host gets its runs", async () => {
		const { pid, running, letGo } = await suspended(() => {});
		expect(isGone(pid)).toBe(true);
		letGo();
		await expectOneWriter(running);
	});

	test("writes nothing that counts when it comes back, and leaves, where it cannot be told from another process", async () => {
		const { pid, running, letGo } = await suspended((home) => {
			inLedger(home, "UPDATE hosts SET pid_started = ''");
		});
		expect(isGone(pid)).toBe(false);
		process.kill(pid, "SIGCONT");
		await eventually(() => expect(isGone(pid)).toBe(true));
		letGo();
		await expectOneWriter(running);
	});

	test("keeps its runs if no other host took them", async () => {
		const [came, may] = [gate(), gate()];
		const home: Home = await openHome({
			// Once awake, the host has a third of it to renew its lease, on a machine that others keep busy.
			env: { PI_GEON_LEASE_MS: "9000" },
			script: dispatch({
				parent: [toolCall("sessions_spawn", { task: "Find it.", agent: "explorer" }), text("Later."), text("Heard.")],
				child: async () => {
					came.open();
					await may.opened;
					return finalize("Found.");
				},
			}),
		});
		const rpc = startRpc(home);
		await rpc.promptAndSettle("Go.");
		await came.opened;
		const pid = onlyHost(home);
		const { pid: parent = 0 } = rpc.child;
		// The whole machine sleeps: nobody looks on meanwhile.
		for (const each of [pid, parent]) process.kill(each, "SIGSTOP");
		const [{ lease_until } = { lease_until: 0 }] = inLedger<{ lease_until: number }>(
			home,
			"SELECT lease_until FROM hosts",
		);
		await eventually(() => expect(Date.now()).toBeGreaterThan(lease_until + 200));
		for (const each of [parent, pid]) process.kill(each, "SIGCONT");
		may.open();
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Found."));
		await rpc.close();
		expect(inLedger(home, "SELECT attempt, state FROM runs")).toEqual([{ attempt: 1, state: "ended" }]);
	});
});

test("a host that hangs is ended, and its runs continue elsewhere", async () => {
	const home: Home = await openHome({
		moreExtensions: [DEADLY_TOOLS],
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: ls, blocks_the_loop") },
		config: { subagents: { allowWrite: true } },
		env: { PI_GEON_LEASE_MS: "3000" },
		script: dispatch({
			parent: [[delegateTo("worker", "Hang."), delegateTo("worker", "Work.")], text("Done.")],
			child: async (request) => {
				if (interruptions(request) > 0) return finalize(`Done with ${request.firstUserText}`);
				if (request.firstUserText === "Work.") return hang();
				await home.model.waitFor(({ firstUserText }) => firstUserText === "Work.");
				hung = onlyHost(home);
				return toolCall("blocks_the_loop", {});
			},
		}),
	});
	let hung = 0;
	const run = await promptPi(home, "Go.", { timeoutMs: 80_000 });
	expect(
		delegations(run)
			.map(({ results }) => [results[0]?.output, results[0]?.attempts])
			.sort(),
	).toEqual([
		["Done with Hang.", 2],
		["Done with Work.", 2],
	]);
	expect(isGone(hung)).toBe(true);
});

test("a stop that no process received is carried out later: it outlives parent and host", async () => {
	const home: Home = await openHome({
		env: { PI_GEON_LEASE_MS: "4000" },
		script: dispatch({
			parent: ({ lastUserText }) =>
				lastUserText === "Go."
					? toolCall("sessions_spawn", { task: "Find it.", agent: "explorer" })
					: text(lastUserText.includes("Stopped by the user") ? "It was stopped." : "Fine."),
			child: () => hang(),
		}),
	});
	const rpc = startRpc(home, { args: ["--session-id", "6b1c8a52-0000-4000-8000-000000000001"] });
	await rpc.prompt("Go.");
	await home.model.waitFor(({ isChild }) => isChild);
	// Both die at once, and the stop is only in the ledger.
	process.kill(onlyHost(home), "SIGKILL");
	rpc.child.kill("SIGKILL");
	await rpc.exited;
	inLedger(home, "UPDATE runs SET stop_at = 1, stop_by = 'the user'");
	const before = home.model.requests.filter(({ isChild }) => isChild).length;
	const next = startRpc(home, { args: ["--session-id", "6b1c8a52-0000-4000-8000-000000000001"] });
	await next.waitForEvent((event) => JSON.stringify(event).includes("Stopped by the user"));
	await next.close();
	expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(before);
});

test("outcomes owed to a session without a file need not be kept forever: the plan says so", async () => {
	const home = await openHome({
		script: dispatch({ parent: [delegateTo("explorer", "Find it."), text("Done.")], child: [finalize("Found.")] }),
	});
	for (const args of [["--no-session"], []]) await promptPi(home, "Go.", { args });
	const kept = "SELECT plan ->> '$.afterwards.parentKept' AS kept FROM runs ORDER BY seq";
	expect(inLedger(home, kept)).toEqual([{ kept: 0 }, { kept: 1 }]);
});

test("a host whose socket was removed makes a new one: its parents find it again", async () => {
	const [came, may] = [gate(), gate()];
	const home: Home = await openHome({
		// Longer than the second pi takes to start, however busy the machine is.
		env: { PI_GEON_LEASE_MS: "4000", PI_GEON_HOST_IDLE_MS: "60000" },
		script: dispatch({
			parent: [delegateTo("explorer", "Find it."), text("Done.")],
			child: async () => {
				came.open();
				await may.opened;
				return finalize("Found.");
			},
		}),
	});
	const running = promptPi(home, "Go.", { timeoutMs: 50_000 });
	await came.opened;
	const [{ socket } = { socket: "" }] = inLedger<{ socket: string }>(home, "SELECT socket FROM hosts");
	rmSync(socket);
	await eventually(() => expect(existsSync(socket)).toBe(true));
	may.open();
	expect(delegations(await running)[0]?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
	// The same host serves the next one.
	const second = await promptPi(home, "Go.", { timeoutMs: 50_000 });
	expect(delegations(second)[0]?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
	expect(inLedger(home, "SELECT count(*) AS n FROM hosts")).toEqual([{ n: 1 }]);
	killHosts(home, "SIGTERM");
});
