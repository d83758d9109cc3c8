import type { AgentDefinition } from "../../src/agents/definition.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { delegate, type Services, spawn } from "../../src/delegate.ts";
import { Announcer } from "../../src/deliver/announcer.ts";
import { RunEvents } from "../../src/deliver/run-events.ts";
import { refusalResult } from "../../src/deliver/tool-result.ts";
import { findSession } from "../../src/ledger/sessions.ts";
import { isDenial } from "../../src/operate/denial.ts";
import { sendToSession } from "../../src/operate/send.ts";
import type { ParentFacts } from "../../src/plan/launch.ts";
import { isRefusal, refuse } from "../../src/run/errors.ts";
import { newSessionId, type RunId } from "../../src/run/ids.ts";
import { messageOf } from "../../src/run/message-of.ts";
import type { QuestionEnd } from "../../src/run/question.ts";
import { NO_USER, type ShowQuestion } from "../../src/supervise/ask.ts";
import { HostProfiles } from "../../src/supervise/host-profiles.ts";
import { Hosts } from "../../src/supervise/hosts.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";
import { QuestionDialogs } from "../../src/supervise/question-dialogs.ts";
import { Supervisor } from "../../src/supervise/supervisor.ts";
import { questionIn } from "../faults/child-model.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { SimConversation, type ToolCall } from "./conversation.ts";
import { FOLDER } from "./files.ts";
import { hostStarter } from "./host.ts";
import { ignoreKilled, Killed } from "./killed.ts";
import { simulatedLog } from "./log.ts";
import { PLACES } from "./places.ts";
import type { Call, Prompt } from "./plan.ts";
import type { SimProcess } from "./process.ts";
import { SimSession } from "./session-file.ts";
import type { World } from "./world.ts";

/** How long a user takes to open a session again. */
const REOPEN_MS = 1500;
const MAX_TURNS = 3;

/** A user with one session, who opens it again whenever their pi dies, and continues with the next thing. */
export class SimUser {
	readonly #world: World;
	readonly #name: string;
	readonly #prompts: Prompt[];
	readonly #session: { id: string; file: string };
	#pi: SimPi | undefined;
	isDone = false;

	constructor(world: World, name: string, prompts: Prompt[]) {
		this.#world = world;
		this.#name = name;
		this.#prompts = prompts;
		this.#session = { id: newSessionId(), file: `/parents/${name}.jsonl` };
		world.after(0, () => this.#open());
		void this.#ask();
	}

	get sessionId(): string {
		return this.#session.id;
	}

	get isIdle(): boolean {
		return this.#pi?.isIdle === true;
	}

	/** Ends pi for good, at the end of the history. */
	close(): Promise<void> | undefined {
		return this.#pi?.close();
	}

	#open(): void {
		const process = this.#world.start(this.#name);
		process.onDeath(() => {
			if (this.#pi?.process === process) this.#pi = undefined;
			this.#world.after(REOPEN_MS, () => {
				if (!this.#pi && !this.#world.isOver) this.#open();
			});
		});
		try {
			const pi = new SimPi(this.#world, process, this.#session);
			if (process.isAlive) this.#pi = pi;
		} catch (error) {
			// pi does not start on a disk that is full; or it was killed while it did.
			if (process.isAlive) this.#world.kill(process.pid, `could not start: ${error}`);
		}
	}

	async #ask(): Promise<void> {
		for (const prompt of this.#prompts) {
			await this.#later(prompt.afterMs);
			// What is lost with its pi is said once more.
			if (!(await this.#said(prompt))) await this.#said(prompt);
		}
		this.isDone = true;
	}

	async #said(prompt: Prompt): Promise<boolean> {
		while (!this.#pi) await this.#later(200);
		const pi = this.#pi;
		const said = pi.prompt(prompt);
		if (prompt.abortAfterMs !== undefined) this.#world.after(prompt.abortAfterMs, () => pi.abort());
		const died = Promise.withResolvers<"died">();
		pi.process.onDeath(() => died.resolve("died"));
		const how = await Promise.race([said, died.promise]);
		if (how !== "died" && prompt.closes) await Promise.race([pi.close(), died.promise]);
		return how !== "died";
	}

	#later(ms: number): Promise<void> {
		return new Promise((resolve) => this.#world.after(ms, resolve));
	}
}

/** A pi with the extension in it: what `pi/extension.ts` wires, over simulated ports. */
class SimPi {
	readonly #world: World;
	readonly process: SimProcess;
	readonly #talk: SimConversation;
	readonly #announcer: Announcer<SimConversation>;
	readonly #ended = new AbortController();
	#services: Services | undefined;
	#calls = 0;

	constructor(world: World, process: SimProcess, session: { id: string; file: string }) {
		this.#world = world;
		this.process = process;
		this.#announcer = new Announcer<SimConversation>({
			ports: process.ports,
			log: simulatedLog(world, process),
			events: new RunEvents({ emit: () => {} }, process.ports.clock.now()),
			live: new LiveRuns(),
			wasEverUsed: () => true,
			use: async (_talk, work) => work(this.#opened()),
			askUser: () => async () => NO_USER,
			openQuestionDialogs: async ({ sessionId }, { ledger, supervisor }) => {
				const { ports } = process;
				const log = simulatedLog(world, process);
				const show: ShowQuestion = (asked, signal) => this.#answer(asked, signal);
				return new QuestionDialogs({ ledger, supervisor, ports, log, session: sessionId, show });
			},
		});
		this.#talk = new SimConversation(world, process, new SimSession(world, process, session), {
			promptEntered: () => this.#announcer.promptEntered(),
			promptArrived: () => this.#announcer.promptArrived(),
			turnEnded: async (results) => this.#announcer.settleSoon(this.#talk, results),
			settled: () => this.#announcer.rested(this.#talk),
		});
		this.#announcer.begin(this.#talk);
	}

	/** The user takes a while, and then does what the question says. */
	async #answer({ seq, question }: Parameters<ShowQuestion>[0], signal: AbortSignal): Promise<QuestionEnd> {
		const { process } = this;
		this.#world.shown.push({ seq, pid: process.pid, at: this.#world.scheduler.time });
		this.#world.note(process.name, `shows question ${seq}`, question);
		const asked = questionIn(question.question);
		if (!asked) throw new Error(`Not a question of ours: ${question.question}`);
		await process.clock.sleep(asked.afterMs);
		if (!signal.aborted) this.#world.note(process.name, `the user has read question ${seq}`);
		if (asked.declines) return { answered: false, declined: "user" };
		return { answered: true, answer: asked.answer };
	}

	get isIdle(): boolean {
		return this.#talk.isIdle() && !this.#talk.hasPending();
	}

	abort(): void {
		this.process.clock.after(0, () => this.#talk.abort());
	}

	async prompt({ calls }: Prompt): Promise<void> {
		try {
			// A suspended pi takes it in later.
			await this.process.clock.sleep(0);
			await this.#talk.prompt(
				"do it",
				calls.map((call) => this.#toolCall(call)),
			);
		} catch (error) {
			ignoreKilled(error);
		}
	}

	/** As `session_shutdown`: the calls that wait are stopped, then the announcer gives back what it has. */
	async close(): Promise<void> {
		try {
			// A suspended pi hears of it later.
			await this.process.clock.sleep(0);
			this.#ended.abort();
			await this.process.clock.sleep(50);
			await this.#announcer.stop(this.#talk);
			this.#services?.supervisor.dispose();
			this.#world.kill(this.process.pid, "closed");
		} catch (error) {
			if (this.process.isAlive) this.#world.kill(this.process.pid, `closed, with ${error}`);
		}
	}

	/** As `SessionServices`: opened at the first use, and again if that failed. */
	#opened(): Services {
		if (this.#services) return this.#services;
		const { process } = this;
		const { ports } = process;
		const log = simulatedLog(this.#world, process);
		const ledger = this.#world.database.ledgerOf(process);
		const profile = { digest: "profile", command: [], env: {}, agentDir: "", hostEntry: "" };
		const start = hostStarter(this.#world, process);
		const hosts = new Hosts({ ledger, places: PLACES, profiles: new HostProfiles(profile), ports, start, log });
		this.#services = {
			ledger,
			supervisor: new Supervisor({ ledger, hosts, ports, log }),
			profile: () => profile.digest,
			log,
			ports,
			config: configFor(this.#world),
			catalog: { agents: AGENTS, overridden: [], unusable: [], diagnostics: [] },
			agentDir: "/agent",
			sessionsRoot: "/sessions",
			findSession: (id) => findSession(ledger, id),
			redactor: NO_REDACTOR,
		} as Services;
		return this.#services;
	}

	#toolCall(call: Call): ToolCall {
		const id = `call-${this.process.pid}-${++this.#calls}`;
		return { id, toolName: call.tool, execute: (signal) => this.#execute(id, call, signal) };
	}

	/** A mirror of what `pi/tools/` do, less what they draw. */
	async #execute(toolCall: string, call: Call, signal: AbortSignal): Promise<unknown> {
		try {
			if (call.tool === "subagent") return await this.#subagent(toolCall, call, signal);
			if (call.tool === "sessions_spawn") return await this.#spawn(toolCall, call);
			return await this.#send(toolCall, call, signal);
		} catch (error) {
			if (error instanceof Killed) return new Promise(() => {});
			return { status: "error", error: messageOf(error), failedCall: toolCall };
		}
	}

	async #subagent(toolCall: string, call: Extract<Call, { tool: "subagent" }>, signal: AbortSignal): Promise<unknown> {
		let admitted: RunId | undefined;
		try {
			const services = this.#opened();
			const { details } = await delegate(
				{
					agent: call.agent,
					task: call.task,
					...(call.continues && this.#endedSession(call.agent)),
					parentSession: this.#talk.sessionId,
					toolCall,
					signal: AbortSignal.any([signal, this.#ended.signal]),
					onAdmitted: ({ run }) => {
						admitted = run.id;
						this.#announcer.await(run.id, toolCall);
						this.#announcer.attend(this.#talk);
					},
				},
				FACTS,
				services,
			);
			return details;
		} catch (error) {
			if (error instanceof Killed) throw error;
			if (admitted !== undefined) this.#announcer.endAwait(admitted);
			return {
				...refusalResult(refuse("SUBAGENT_FAILED", messageOf(error), "internal")).details,
				failedCall: toolCall,
			};
		} finally {
			if (admitted !== undefined) this.#announcer.returned(admitted);
		}
	}

	async #spawn(toolCall: string, call: Extract<Call, { tool: "sessions_spawn" }>): Promise<unknown> {
		const { agent, task, label } = call;
		const record = await spawn(
			{ agent, task, label, parentSession: this.#talk.sessionId, toolCall },
			FACTS,
			this.#opened(),
		);
		if (isRefusal(record)) return { status: "error", error: record.error.message };
		this.#announcer.attend(this.#talk);
		return { status: "accepted", runId: record.run.id };
	}

	async #send(toolCall: string, call: Extract<Call, { tool: "sessions_send" }>, signal: AbortSignal): Promise<unknown> {
		const awaited = new Set<RunId>();
		const { label, message, withinMs } = call;
		const sent = await sendToSession(
			{ label, message, withinMs, parentSession: this.#talk.sessionId, toolCall, signal },
			FACTS,
			this.#opened(),
			{
				onWaiting: (id) => {
					awaited.add(id);
					this.#announcer.await(id, toolCall);
					this.#announcer.attend(this.#talk);
				},
				onLeft: (id) => {
					this.#announcer.endAwait(id);
					this.#announcer.attend(this.#talk);
				},
				onSpawned: () => this.#announcer.attend(this.#talk),
			},
		);
		for (const id of awaited) this.#announcer.returned(id);
		return isDenial(sent.answer) ? { status: sent.answer.status } : sent.answer;
	}

	#endedSession(agent: string): { sessionId: string } | undefined {
		const sql = `SELECT session_id FROM runs WHERE parent_session = ? AND agent = ? AND state = 'ended' LIMIT 1`;
		const row = this.#opened().ledger.get<{ session_id: string }>(sql, this.#talk.sessionId, agent);
		return row && { sessionId: row.session_id };
	}
}

const FACTS: ParentFacts = {
	cwd: FOLDER,
	depth: 0,
	activeTools: ["ls"],
	knownTools: [{ name: "ls" }],
	knownSkills: () => [],
	model: { provider: "test", id: "model" },
	thinking: undefined,
	projectTrusted: true,
	sessionKept: true,
	resolveModel: async (name) => ({ model: { provider: "test", id: name.replace("test/", "") } }),
	modelSource: async () => ({ kind: "pi" }),
	approveProjectAgent: async () => "approved",
	askToWrite: async () => undefined,
};

function agent(name: string, fields = ""): AgentDefinition {
	const text = `---\nname: ${name}\nreadonly: true\ntools: ls\n${fields}---\nYou simulate.`;
	const { agent } = parseAgent(text, { file: `/agents/${name}.md`, source: "user" });
	if (!agent) throw new Error(`The agent ${name} is not valid.`);
	return agent;
}

const FALLBACKS = "fallbackModels: [test/second, test/third]\n";
const AGENTS = [
	agent("scout", FALLBACKS),
	agent("counted", `maxTurns: ${MAX_TURNS}\n`),
	agent("alone", `isolation: process\n${FALLBACKS}`),
	agent("asker", "ask: true\n"),
];

const DEFAULTS = loadConfig({ userFile: "/nowhere/pi-geon.json" }).config;

function configFor({ history }: World): Config {
	const { subagents, agents } = DEFAULTS;
	return {
		...DEFAULTS,
		subagents: {
			...subagents,
			retry: { enabled: true, maxAttempts: history.maxAttempts },
			askMinutes: history.askMinutes ?? subagents.askMinutes,
		},
		agents: { ...agents, defaults: { subagents: { ...agents.defaults.subagents, maxConcurrent: history.laneLimit } } },
	};
}
