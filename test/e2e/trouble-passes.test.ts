import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsedLine } from "../../src/run/json-line.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids } from "../helpers/hosts.ts";
import { lockLedgerFile } from "../helpers/ledger-file.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type PiEvent, somePi, startRpc } from "../helpers/pi.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { type Trouble, troubleIn } from "../helpers/trouble.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

/** Trouble of the machine that passes: what was accepted meanwhile, or before, has one answer anyway. */
const openHome = useHome();

const stateFolder = (home: Home): string => join(home.agentDir, "pi-geon");

/** A parent that sends off one run, tells it what it is told to, and otherwise says how many reports it has heard. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	if (lastUserText === "Delegate.") return delegateTo("explorer", "Look.");
	if (lastUserText === "Spawn.")
		return toolCall("sessions_spawn", { agent: "explorer", task: "Look.", label: "scout" });
	if (lastUserText === "Tell.") {
		return toolCall("sessions_send", { label: "scout", message: "Look behind the door.", timeoutSeconds: 0 });
	}
	return text(`I have heard ${JSON.stringify(messages).split("Status: ").length - 1} reports.`);
};

const says = (event: PiEvent, words: string | RegExp): boolean => JSON.stringify(event).search(words) >= 0;

const sessionFileOf = async (rpc: RpcClient): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

/** The answers that a session's file holds: reports, and results of calls that waited. */
function answersIn(file: string): string[] {
	if (!existsSync(file)) return [];
	const entries = readFileSync(file, "utf8").trim().split("\n");
	const whole = entries.filter((line) => parsedLine(line) !== undefined);
	return whole.filter((line) => line.includes('"announceId"') || line.includes('"toolName":"subagent"'));
}

const isSettled = (home: Home, runs = 1) =>
	eventually(() =>
		expect(inLedger(home, "SELECT state, delivery FROM runs")).toEqual(
			Array.from({ length: runs }, () => ({ state: "ended", delivery: "delivered" })),
		),
	);

describe.each(somePi(import.meta.url))("with pi %s", (pi) => {
	test("a delegation while hosts cannot be started has exactly one answer", async () => {
		const home = await openHome({ pi, script: dispatch({ parent, child: [finalize("Seen.")] }) });
		const trouble = troubleIn(home, join(stateFolder(home), "hosts"), "forbidden");
		trouble.begin();
		const rpc = startRpc(home, { env: trouble.env });
		await rpc.prompt("Delegate.");
		await rpc.waitForEvent(
			({ type, ...event }) => type === "tool_execution_update" && says(event as PiEvent, /EACCES|EROFS/),
		);
		trouble.end();
		await rpc.waitForEvent((event) => event.type === "agent_settled");
		await isSettled(home);
		const file = await sessionFileOf(rpc);
		await rpc.close();
		expect(answersIn(file)).toEqual([expect.stringContaining("Seen.")]);
	});

	test("a report that met a full disk is in the transcript, and the model is woken, once there is room", async () => {
		const mayEnd = gate();
		const child: Script = async () => {
			await mayEnd.opened;
			// Longer than what is left of the last block of a file that was begun before.
			return finalize("Seen. ".repeat(1000));
		};
		const home = await openHome({ pi, script: dispatch({ parent, child }) });
		const trouble = troubleIn(home, join(home.agentDir, "sessions"), "full");
		const rpc = startRpc(home, { env: trouble.env });
		await rpc.promptAndSettle("Spawn.");
		const file = await sessionFileOf(rpc);
		trouble.begin();
		const sending = rpc.events.length;
		mayEnd.open();
		await rpc.waitForEvent((event) => says(event, "ENOSPC"), { from: sending });
		expect(answersIn(file)).toEqual([]);
		trouble.end();
		await isSettled(home);
		// What the model said to it is written too, so it was asked after there was room.
		await eventually(() => expect(readFileSync(file, "utf8")).toContain("I have heard"));
		await rpc.close();
		expect(answersIn(file)).toHaveLength(1);
	});
});

describe.each(somePi(import.meta.url))("on pi %s, in trouble", (pi) => {
	async function opensInTrouble(troubleOf: (home: Home) => Trouble): Promise<void> {
		const mayEnd = gate();
		const child: Script = async () => {
			await mayEnd.opened;
			return finalize("Seen.");
		};
		const home = await openHome({ pi, script: dispatch({ parent, child }) });
		const trouble = troubleOf(home);
		const first = startRpc(home, { env: trouble.env });
		await first.promptAndSettle("Spawn.");
		const file = await sessionFileOf(first);
		await home.model.waitFor((request) => request.isChild);
		await first.close();
		mayEnd.open();
		await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "owed" }]));
		// A host that leaves meanwhile could not remove its socket.
		await eventually(() => expect(hostPids(home)).toEqual([]));
		trouble.begin();
		const env = { ...trouble.env, PI_GEON_LEDGER_PATIENCE_MS: "300" };
		const rpc = startRpc(home, { args: ["--session", file], env });
		await rpc.waitForEvent((event) => says(event, "cannot read its run ledger"));
		expect(answersIn(file)).toEqual([]);
		trouble.end();
		await rpc.waitForEvent((event) => says(event, "I have heard 1 reports."));
		await isSettled(home);
		await rpc.close();
		expect(answersIn(file)).toHaveLength(1);
	}

	test("a session opened while the ledger is locked, full or forbidden reports by itself once that has passed", async () => {
		const troubles: ((home: Home) => Trouble)[] = [
			locked,
			(home) => troubleIn(home, stateFolder(home), "full"),
			(home) => troubleIn(home, stateFolder(home), "forbidden"),
		];
		await Promise.all(troubles.map(opensInTrouble));
	});

	test("a message to a run that is then stopped is reported as not delivered, and does not wait", async () => {
		const never = gate();
		const home = await openHome({
			pi,
			script: dispatch({ parent, child: async () => never.opened.then(() => "") }),
		});
		const rpc = startRpc(home);
		await rpc.promptAndSettle("Spawn.");
		await home.model.waitFor((request) => request.isChild);
		await rpc.promptAndSettle("Tell.");
		const file = await sessionFileOf(rpc);
		await rpc.prompt("/subagents stop scout");
		await isSettled(home);
		await rpc.close();
		expect(answersIn(file)).toEqual([
			expect.stringMatching(/This message was not delivered, because the run ended first: .*Look behind the door\./),
		]);
	});
});

/** Another process has begun to write, and does not continue. */
function locked(home: Home): Trouble {
	let other: ReturnType<typeof lockLedgerFile> | undefined;
	return {
		env: {},
		begin() {
			other = lockLedgerFile(join(stateFolder(home), "ledger.sqlite"));
		},
		end() {
			other?.release();
		},
	};
}
