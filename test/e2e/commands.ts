import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fillLedger } from "../../bench/full-ledger.ts";
import type { Gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import type { PiEvent, startRpc } from "../helpers/pi.ts";
import { finalize } from "./child.ts";

/** A parent that spawns what it is asked to (`spawn A B C`), and calls what it is told to (`call <tool> <JSON>`). */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [, tool, args] = /^call (\S+) (.*)$/.exec(lastUserText) ?? [];
	if (tool !== undefined && args !== undefined) return toolCall(tool, JSON.parse(args));
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb !== "spawn") return text("Noted.");
	return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: `the ${task}` }));
};

/** Children that look around, wait for the gate of their task, and answer what they were told last. */
const child =
	(gates: Record<string, Gate>): Script =>
	async ({ firstUserText, lastUserText, lastMessage }) => {
		if (lastUserText.startsWith("A message from")) return finalize(`Heeded: ${lastUserText.split("\n").at(-1)}`);
		if (lastUserText !== firstUserText) return finalize(`Went on: ${lastUserText}`);
		if (lastMessage?.role !== "tool") return toolCall("ls", { path: "." });
		await gates[firstUserText]?.opened;
		return finalize(`Answer to ${firstUserText}.`);
	};

export const spawning = (gates: Record<string, Gate> = {}): Script => dispatch({ parent, child: child(gates) });

export const ledgerFile = (home: Home): string => join(home.agentDir, "pi-geon", "ledger.sqlite");

/** A session that has delegated five hundred times. Nothing of it is open. */
export async function fiveHundredRuns(home: Home, session: string = randomUUID()): Promise<string> {
	await fillLedger(ledgerFile(home), 499, session);
	return session;
}

type Rpc = ReturnType<typeof startRpc>;

export interface Notice {
	text: string;
	type: string;
}

/** Gives a command, and answers what the client was told. */
export async function command(rpc: Rpc, line: string): Promise<Notice> {
	const before = rpc.events.length;
	await rpc.prompt(line);
	const told = await rpc.waitForEvent(isNotice, { from: before });
	return { text: String(told.message), type: String(told.notifyType) };
}

const isNotice = (event: PiEvent): boolean => event.type === "extension_ui_request" && event.method === "notify";

/** The text of the reports in a JSON mode's events. */
export const reportsIn = (events: readonly PiEvent[]): string[] =>
	events.flatMap((event) => {
		const entry = event.type === "entry_appended" ? (event.entry as { customType?: string; data?: unknown }) : {};
		return entry.customType === "pi-geon:report" ? [String((entry.data as { text: string }).text)] : [];
	});

/** Every command, and the beginning of what it says where nothing was ever delegated. */
export const WITHOUT_RUNS: [line: string, says: RegExp][] = [
	["/subagents", /^No runs in this session yet/],
	["/subagents list", /^No runs in this session yet/],
	["/subagents list all", /^No runs in this session yet/],
	["/subagents stop all", /^Nothing to stop/],
	["/subagents changes", /^No run of this session has changes/],
	["/stop", /^No turn was running\.\nNothing to stop/],
	["/subagents logs", /^No log lines\./],
	["/subagents help", /^pi-geon: subagents that always come home/],
	["/toolkit", /^pi-geon: subagents that always come home/],
	["/toolkit help", /^pi-geon: subagents that always come home/],
	["/toolkit agents", /^6 agents\n\nexplorer · builtin · readonly/],
	["/toolkit activity", /^No run is open/],
	["/toolkit logs", /^No log lines\./],
	["/toolkit logs explorer warn 5", /^No log lines\./],
	["/toolkit logs 8f3a", /^No log lines\./],
];

/** What is wrong with each, said without doing anything. */
export const WRONG: [line: string, says: RegExp][] = [
	[
		"/subagents lsit",
		/no "lsit".* Did you mean `\/subagents list`\? Available: run, new, list, stop, log, info, export, send, changes, diff, apply, branch, discard, web, settings, agents, doctor, logs, help/,
	],
	["/subagents frobnicate", /no "frobnicate"\. Available/],
	["/subagents run", /Which agent\? Nothing was done\. Usage: \/subagents run <agent> <task>/],
	["/subagents run explorer", /There is no task\. Nothing was done/],
	["/subagents list none", /"none" is not a number of runs.*Usage: \/subagents list \[all\|number\]/],
	["/subagents list -3", /"-3" is not a number of runs/],
	["/subagents stop", /Which run\? Nothing was done\. Usage: \/subagents stop <id\|#\|all>/],
	["/subagents stop nobody", /There are no runs yet|No run has the id, number or label "nobody"/],
	["/subagents stop #0", /There are no runs yet|There is no run #0/],
	["/subagents info", /Which run\?/],
	["/subagents info 99999", /There are no runs yet|No run has/],
	["/subagents log", /Which run\?/],
	["/subagents log nobody 5 tools", /There are no runs yet|label "nobody"/],
	["/subagents export", /Which run\? Nothing was done\. Usage: \/subagents export <id\|#> \[html\|md\|json\]/],
	["/subagents export nobody md", /There are no runs yet|label "nobody"/],
	["/subagents send", /Which run\?/],
	["/subagents send last", /There is no message/],
	["/subagents send nobody hello", /There are no runs yet|label "nobody"/],
	["/subagents changes nobody", /There are no runs yet|label "nobody"/],
	["/subagents diff", /Which run\?.*Usage: \/subagents diff <id\|#>/],
	["/subagents diff nobody", /There are no runs yet|label "nobody"/],
	["/subagents apply --undo", /Which run\?.*Usage: \/subagents apply <id\|#> \[--undo\]/],
	["/subagents apply nobody --undo", /There are no runs yet|label "nobody"/],
	["/subagents branch", /Which run\?/],
	["/subagents branch nobody topic", /There are no runs yet|label "nobody"/],
	["/subagents discard", /Which run\?/],
	["/subagents web now", /\/subagents web takes no arguments/],
	["/stop now", /takes no arguments.*\/subagents stop <id\|#>/],
	["/toolkit agent", /Did you mean `\/toolkit agents`\?/],
	["/subagents help me", /\/subagents help takes no arguments/],
	["/subagents doctor now", /\/subagents doctor takes --fix, not "now"/],
	["/subagents logs last", /no run "last"\. \/subagents logs takes a run/],
	["/toolkit help me", /\/toolkit help takes no arguments/],
	["/toolkit logs exploer", /no run "exploer"\. Did you mean explorer\? \/toolkit logs takes a run, an agent, a level/],
	["/toolkit logs --limit 2", /no run "--limit"/],
	["/toolkit logs last", /no run "last"/],
	["/toolkit logs explorer reviewer", /Unexpected argument "reviewer"/],
];
