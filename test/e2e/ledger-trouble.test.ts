import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { killHosts } from "../helpers/hosts.ts";
import { lockLedgerFile } from "../helpers/ledger-file.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi, startRpc } from "../helpers/pi.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { canMount, smallDisk } from "../helpers/small-disk.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
/** Long enough that a host on a busy machine keeps it. */
const LEASE_MS = 4000;
const ledgerFolder = (home: Home): string => join(home.agentDir, "pi-geon");
const ledgerFile = (home: Home): string => join(ledgerFolder(home), "ledger.sqlite");
const isSound = (home: Home): void =>
	expect(inLedger(home, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);

/** A parent that delegates whatever it is asked, and children that answer when they may. */
const openDelegating = (options: { may?: Gate; came?: Gate; env?: Record<string, string> } = {}) =>
	openHome({
		...(options.env && { env: options.env }),
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastMessage?.role === "tool" ? text("Done.") : delegateTo("explorer", lastUserText),
			child: async ({ lastUserText }) => {
				options.came?.open();
				await options.may?.opened;
				// Long enough that it cannot end in a block that its file has already.
				return [text("Well. ".repeat(2000)), finalize(`Answer to ${lastUserText}`)];
			},
		}),
	});

async function delegated(rpc: RpcClient, task: string): Promise<SubagentDetails> {
	const events = await rpc.promptAndSettle(task, 60_000);
	const ended = events.find((event) => event.type === "tool_execution_end");
	if (!ended) throw new Error(`Nothing was delegated: ${rpc.stderr}`);
	return (ended.result as { details: SubagentDetails }).details;
}

/** Until the host's lease has run out, and whoever looks on has run out of patience too. */
const untilGivenUp = (home: Home) =>
	eventually(() => {
		const [{ lease_until } = { lease_until: 0 }] = inLedger<{ lease_until: number }>(
			home,
			"SELECT lease_until FROM hosts",
		);
		expect(Date.now()).toBeGreaterThan(lease_until + LEASE_MS);
	});

describe.skipIf(!canMount())("a disk that is full", () => {
	test("refuses a request with the cause and the remedy, and the next one works when there is room", async () => {
		// A host that leaves makes room: it removes what it kept for itself.
		const home = await openDelegating({ env: { PI_GEON_HOST_IDLE_MS: "600000" } });
		const disk = smallDisk(home, ledgerFolder(home));
		const rpc = startRpc(home);
		expect((await delegated(rpc, "One.")).finalized?.result).toBe("Answer to One.");
		disk.fill();
		const refused = await delegated(rpc, "Two.");
		expect(refused).toMatchObject({ results: [], error: { code: "SUBAGENT_FAILED" } });
		expect(refused.runId).toBeUndefined();
		expect(refused.error?.message).toMatch(/The disk is full.*Free some space/);
		isSound(home);
		disk.makeRoom();
		expect((await delegated(rpc, "Three.")).finalized?.result).toBe("Answer to Three.");
		await rpc.close();
		isSound(home);
		killHosts(home, "SIGTERM");
	});

	test("keeps an outcome waiting in its host, and it is written when there is room: nothing is done twice", async () => {
		const [came, may] = [gate(), gate()];
		const home = await openDelegating({ came, may, env: { PI_GEON_LEASE_MS: `${LEASE_MS}` } });
		const disk = smallDisk(home, ledgerFolder(home));
		const running = promptPi(home, "One.", { timeoutMs: 80_000 });
		await came.opened;
		disk.fill();
		may.open();
		await untilGivenUp(home);
		disk.makeRoom();
		const [details] = delegations(await running);
		expect(details?.results[0]).toMatchObject({ exitCode: 0, output: "Answer to One.", attempts: 1 });
		expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(1);
		isSound(home);
	});

	longTest(
		"under a child's session file ends the run with the reason, and the next one works when there is room",
		async () => {
			const [came, may] = [gate(), gate()];
			const home = await openDelegating({ came, may });
			const disk = smallDisk(home, join(home.home, ".pi", "subagent-sessions"));
			const rpc = startRpc(home);
			const first = delegated(rpc, "One.");
			await came.opened;
			disk.fill();
			may.open();
			expect((await first).error).toMatchObject({
				code: "SUBAGENT_FAILED",
				message: expect.stringMatching(/ENOSPC|no space left/i),
			});
			disk.makeRoom();
			expect((await delegated(rpc, "Two.")).finalized?.result).toBe("Answer to Two.");
			await rpc.close();
		},
	);
});

test("a ledger that stays locked: the caller is told, and the running run is not harmed", async () => {
	const [came, may] = [gate(), gate()];
	const home = await openDelegating({
		came,
		may,
		env: { PI_GEON_LEASE_MS: `${LEASE_MS}`, PI_GEON_LEDGER_PATIENCE_MS: "300" },
	});
	const running = promptPi(home, "One.", { timeoutMs: 80_000 });
	await came.opened;
	const lock = lockLedgerFile(ledgerFile(home));
	may.open();
	const [refused] = delegations(await promptPi(home, "Two.", { timeoutMs: 50_000 }));
	expect(refused?.error).toMatchObject({ code: "SUBAGENT_FAILED" });
	expect(refused?.error?.message).toMatch(/Another process keeps the ledger locked/);
	await untilGivenUp(home);
	lock.release();
	const [details] = delegations(await running);
	expect(details?.results[0]).toMatchObject({ exitCode: 0, output: "Answer to One.", attempts: 1 });
	isSound(home);
});

test("a new session does not open the ledger until it delegates; a continued one does, and reports what is wrong", async () => {
	const home = await openHome({ untouched: true, script: () => text("Hello.") });
	mkdirSync(ledgerFolder(home), { recursive: true });
	writeFileSync(ledgerFile(home), "This is not a ledger. ".repeat(1000));
	const started = await promptPi(home, "Hi.");
	expect([started.finalText, started.stderr]).toEqual(["Hello.", ""]);
	// Whoever opens this one sets it aside.
	expect(readdirSync(ledgerFolder(home))).toEqual(["ledger.sqlite"]);
	const continued = await promptPi(home, "And?", { args: ["--continue"] });
	expect(continued.stderr).toContain("The ledger was damaged. It is kept as ");
});

test("a damaged ledger is kept under another name, the user is told, and work continues", async () => {
	const home = await openDelegating();
	mkdirSync(ledgerFolder(home), { recursive: true });
	writeFileSync(ledgerFile(home), "garbage ".repeat(1000));
	const run = await promptPi(home, "One.", { timeoutMs: 50_000 });
	expect(delegations(run)[0]?.finalized?.result).toBe("Answer to One.");
	const kept = readdirSync(ledgerFolder(home)).find((name) => name.includes(".damaged."));
	expect(run.stderr).toContain(`The ledger was damaged. It is kept as ${join(ledgerFolder(home), kept ?? "?")}`);
	expect(readFileSync(join(ledgerFolder(home), kept ?? "?"), "utf8")).toBe("garbage ".repeat(1000));
	expect((await promptPi(home, "Two.", { timeoutMs: 50_000 })).stderr).toBe("");
	isSound(home);
});
