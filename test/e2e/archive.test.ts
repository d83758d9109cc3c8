import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { type PiEvent, promptPi, somePi, startRpc, summarize } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

interface ArchiveRow {
	id: string;
	session: string;
	file: string;
	delivery: string;
	archive_at: number | null;
	archived_at: number | null;
	session_archived_at: number | null;
}

const runsOf = (home: Home): ArchiveRow[] =>
	inLedger(
		home,
		`SELECT runs.id, session_id AS session, file, delivery, archive_at, runs.archived_at,
			sessions.archived_at AS session_archived_at FROM runs JOIN sessions ON sessions.id = session_id ORDER BY seq`,
	);

const onlyRun = (home: Home): ArchiveRow => {
	const [run] = runsOf(home);
	if (!run) throw new Error("There is no run in the ledger.");
	return run;
};

/** What is beside a transcript that belongs to its session. */
const filesOf = ({ file, session }: ArchiveRow): string[] =>
	readdirSync(dirname(file)).filter((name) => name.includes(session));

const isPutAway = (run: ArchiveRow): boolean =>
	filesOf(run).length > 0 &&
	filesOf(run).every((name) => /\.deleted\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(name));

/** Moves what is to come into the past, as if everybody had been away for two hours. */
const passTwoHours = (home: Home): void => {
	inLedger(home, "UPDATE runs SET archive_at = archive_at - 7200000");
};

/** A parent that obeys `call <tool> <json>`, and notes everything else. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	const [, tool, args] = lastMessage?.role === "tool" ? [] : (/^call (\S+) (.*)$/.exec(lastUserText) ?? []);
	return tool && args ? toolCall(tool, JSON.parse(args) as object) : text("Noted.");
};

const spawning = (args: object): string =>
	`call sessions_spawn ${JSON.stringify({ task: "A", agent: "explorer", ...args })}`;

const openWith = (child: () => Reply | Promise<Reply>): Promise<Home> =>
	openHome({ script: dispatch({ parent, child }) });

const sessionFileOf = async (rpc: ReturnType<typeof startRpc>): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

/** The parent was told, and its model has answered. */
async function announced(rpc: ReturnType<typeof startRpc>): Promise<void> {
	const isAnnounce = (event: PiEvent) => event.type === "message_end" && JSON.stringify(event).includes('"announceId"');
	const from = rpc.events.indexOf(await rpc.waitForEvent(isAnnounce));
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from });
}

describe.each(somePi(import.meta.url))("cleanup: delete, on pi %s", (version) => {
	test("puts the session away once it was announced, and it cannot be continued", async () => {
		const home = await openWith(() => finalize("Done."));
		const rpc = startRpc(home, { version });
		await rpc.promptAndSettle(spawning({ cleanup: "delete" }));
		await announced(rpc);
		await eventually(() => expect(onlyRun(home).archived_at).not.toBeNull());
		const run = onlyRun(home);
		expect(filesOf(run)).toHaveLength(1);
		expect(isPutAway(run)).toBe(true);
		expect(run).toMatchObject({ delivery: "delivered", session_archived_at: run.archived_at });
		expect(statSync(join(dirname(run.file), filesOf(run)[0] ?? "")).mode & 0o777).toBe(0o600);

		const again = await rpc.promptAndSettle(
			`call subagent ${JSON.stringify({ agent: "explorer", task: "B", sessionId: run.session })}`,
		);
		await rpc.close();
		expect(delegations(summarize(again))).toMatchObject([
			{ error: { code: "INVALID_INPUT", reason: "archived_session" }, results: [] },
		]);
		expect(runsOf(home)).toHaveLength(1);
	});
});

longTest("an answer that was kept whole stays where the announce says it is", async () => {
	const home = await openWith(() => finalize("A long line.\n".repeat(3000)));
	const rpc = startRpc(home);
	await rpc.promptAndSettle(spawning({ cleanup: "delete" }));
	await announced(rpc);
	await eventually(() => expect(onlyRun(home).archived_at).not.toBeNull());
	await rpc.close();
	const run = onlyRun(home);
	const kept = basename(run.file).replace(".jsonl", `.${run.id}.answer.md`);
	const [transcript, ...others] = filesOf(run).filter((name) => name !== kept);
	expect(filesOf(run)).toContain(kept);
	expect(transcript).toMatch(/\.jsonl\.deleted\./);
	expect(others).toEqual([]);
});

longTest("pi -p: what it spawned to be deleted is put away by the time it exits", async () => {
	const home = await openWith(() => finalize("Done."));
	const run = await promptPi(home, spawning({ cleanup: "delete" }));
	expect(run.code, run.stderr).toBe(0);
	expect(onlyRun(home).archived_at).not.toBeNull();
	expect(isPutAway(onlyRun(home))).toBe(true);
});

longTest("after an hour, and a restart of everything, the next process archives it", async () => {
	const home = await openWith(() => finalize("Done."));
	const rpc = startRpc(home);
	await rpc.promptAndSettle(spawning({}));
	await announced(rpc);
	await eventually(() => expect(onlyRun(home).delivery).toBe("delivered"));
	await rpc.close();
	await eventually(() => expect(hostPids(home)).toEqual([]));
	const due = (onlyRun(home).archive_at ?? 0) - Date.now();
	expect(due).toBeGreaterThan(59 * 60_000);
	expect(due).toBeLessThanOrEqual(60 * 60_000);
	// Not due: another pi leaves it alone.
	const early = startRpc(home);
	await early.promptAndSettle("Hello.");
	await early.close();
	expect(isPutAway(onlyRun(home))).toBe(false);

	passTwoHours(home);
	const late = startRpc(home);
	await eventually(() => expect(onlyRun(home).archived_at).not.toBeNull());
	await late.close();
	expect(isPutAway(onlyRun(home))).toBe(true);
});

longTest("a busy host archives what becomes due, with no parent left", async () => {
	const proceed = gate();
	const home = await openHome({
		script: dispatch({
			parent,
			child: async ({ firstUserText }) => {
				if (firstUserText === "B") await proceed.opened;
				return finalize("Done.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle(spawning({}));
	await announced(rpc);
	await eventually(() => expect(onlyRun(home).delivery).toBe("delivered"));
	await rpc.promptAndSettle(spawning({ task: "B" }));
	await home.model.waitFor((request) => request.firstUserText === "B");
	rpc.child.kill("SIGKILL");
	await rpc.exited;
	passTwoHours(home);
	await eventually(() => expect(onlyRun(home).archived_at).not.toBeNull());
	expect(isPutAway(onlyRun(home))).toBe(true);
	proceed.open();
});

test("what has not been delivered is never archived, whichever process looks", async () => {
	const proceed = gate();
	const home = await openHome({
		script: dispatch({
			parent,
			child: async () => {
				await proceed.opened;
				return finalize("Done.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle(spawning({ cleanup: "delete" }));
	const session = await sessionFileOf(rpc);
	await home.model.waitFor((request) => request.isChild);
	rpc.child.kill("SIGKILL");
	await rpc.exited;
	proceed.open();
	await eventually(() => expect(onlyRun(home).delivery).toBe("owed"));
	const stranger = startRpc(home);
	await stranger.promptAndSettle("Hello.");
	await stranger.close();
	expect(onlyRun(home)).toMatchObject({ delivery: "owed", archive_at: null, archived_at: null });
	expect(existsSync(onlyRun(home).file)).toBe(true);

	const again = startRpc(home, { args: ["--session", session] });
	await announced(again);
	await eventually(() => expect(onlyRun(home).archived_at).not.toBeNull());
	await again.close();
	expect(isPutAway(onlyRun(home))).toBe(true);
});

longTest("a timeout stops the run, and archives nothing before its time", async () => {
	const home = await openWith(() => [text("A clue."), hang()]);
	const rpc = startRpc(home);
	await rpc.promptAndSettle(spawning({ runTimeoutSeconds: 1 }));
	await announced(rpc);
	await eventually(() => expect(onlyRun(home).delivery).toBe("delivered"));
	await rpc.promptAndSettle("Hello.");
	await rpc.close();
	const run = onlyRun(home);
	expect(run.archived_at).toBeNull();
	expect(run.archive_at).toBeGreaterThan(Date.now() + 59 * 60_000);
	expect(filesOf(run)).toEqual([basename(run.file)]);
});

longTest("once a day a host that leaves removes what is older than retentionDays", async () => {
	const home = await openHome({
		config: { retentionDays: 7 },
		script: dispatch({ parent, child: () => finalize("Done.") }),
	});
	const delegateOnce = async () => {
		const run = await promptPi(home, `call subagent ${JSON.stringify({ agent: "explorer", task: "A" })}`);
		expect(run.code, run.stderr).toBe(0);
		await eventually(() => expect(hostPids(home)).toEqual([]));
	};
	await delegateOnce();
	const [first] = runsOf(home);
	if (!first) throw new Error("There is no run in the ledger.");
	expect(existsSync(first.file)).toBe(true);
	const longAgo = Date.now() - 8 * 24 * 60 * 60_000;
	inLedger(home, "UPDATE runs SET ended_at = ?, delivered_at = ?", longAgo, longAgo);
	// It was tidied up today already.
	await delegateOnce();
	expect(runsOf(home)).toHaveLength(2);

	inLedger(home, "UPDATE chores SET done_at = ?", longAgo);
	// It may say that all is to be kept for a year.
	const config = join(home.agentDir, "pi-geon.json");
	const said = readFileSync(config, "utf8");
	writeFileSync(config, said.slice(0, -1));
	await delegateOnce();
	expect(runsOf(home)).toHaveLength(3);

	writeFileSync(config, said);
	await delegateOnce();
	expect(runsOf(home).map(({ id }) => id)).not.toContain(first.id);
	expect(runsOf(home)).toHaveLength(3);
	expect(existsSync(first.file)).toBe(false);
	const logs = join(home.agentDir, "pi-geon", "hosts");
	const logged = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
	expect(logged.filter((log) => log.includes('"tidied up","runs":1,"sessions":1'))).toHaveLength(1);
});
