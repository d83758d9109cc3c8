import { ModelLine } from "../../src/child/model-line.ts";
import type { ClaimedRun, Work, WorkServices } from "../../src/child/work.ts";
import { outcomeOf } from "../../src/collect/outcome.ts";
import { type InboxMessage, STEERING } from "../../src/ledger/inbox.ts";
import { LedgerTrouble } from "../../src/ledger/trouble.ts";
import { hopInWords } from "../../src/run/hop.ts";
import { type EndCause, FINALIZE_TOOL, type Outcome } from "../../src/run/outcome.ts";
import { ASK_TOOL, type ChildQuestion } from "../../src/run/question.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { answerTo, taskIn } from "../faults/child-model.ts";
import type { Entry } from "../faults/evidence.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import type { SimProcess } from "./process.ts";
import { type NewEntry, SimSession } from "./session-file.ts";
import type { World } from "./world.ts";

/** Stands in for a child: does what its task says, in its session file, and can be stopped at any time. */
export function simulatedWork(world: World, process: SimProcess) {
	return (record: ClaimedRun, services: WorkServices): Work => {
		const child = new Child(world, process, record, services);
		return { stop: (cause) => child.end(cause), done: child.work() };
	};
}

class Child {
	readonly #world: World;
	readonly #process: SimProcess;
	readonly #record: ClaimedRun;
	readonly #services: WorkServices;
	readonly #ended = Promise.withResolvers<void>();
	readonly #models: ModelLine;
	#cause: EndCause | undefined;

	constructor(world: World, process: SimProcess, record: ClaimedRun, services: WorkServices) {
		this.#world = world;
		this.#process = process;
		this.#record = record;
		this.#services = services;
		this.#models = new ModelLine(record.plan, record.run.hops ?? [], services.recordHop);
	}

	/** The first cause counts. */
	end(cause: EndCause): void {
		this.#cause ??= cause;
		this.#ended.resolve();
	}

	async work(): Promise<{ outcome: Outcome; settled: boolean }> {
		try {
			// Setting up a child takes a moment.
			await this.#process.clock.sleep(this.#world.random.between(1, 20));
			if (!this.#cause) await this.#converse();
		} catch (error) {
			this.#process.requireAlive();
			this.end({ kind: "crashed", message: String(error) });
		}
		const { run, plan } = this.#record;
		const cause = this.#cause ?? { kind: "crashed", message: "no cause" };
		const outcome = outcomeOf(cause, {
			usage: NO_USAGE,
			displayItems: [],
			attempts: run.attempt + this.#models.hops.length - (run.hops?.length ?? 0),
			warnings: [...plan.warnings, ...this.#models.hops.map(hopInWords)],
		});
		return { outcome: asItIs<Outcome>(outcome), settled: true };
	}

	async #converse(): Promise<void> {
		const { plan, run, sessionId } = this.#record;
		const session = new SimSession(this.#world, this.#process, { file: plan.session.file, id: sessionId });
		this.#services.assertLeaseHeld();
		session.append({ type: "custom", customType: "pi-geon:task", data: { runId: run.id } }, "task");
		const task = taskIn(plan.task);
		if (!task) throw new Error(`A child without a task: ${plan.task}`);
		await this.#models.first(ALL_MODELS);
		if (task.question !== undefined && !(await this.#ask(session, task.question))) return;
		let turns = turnsOf(session.entries, run.id);
		for (;;) {
			if (plan.limits.maxTurns !== undefined && turns >= plan.limits.maxTurns) {
				return this.end({ kind: "budget", limit: "turns" });
			}
			// A refusal is quick.
			const isRefused = this.#models.hops.length < task.quota;
			await this.#think(task.name, isRefused ? Math.min(task.ms, REFUSED_WITHIN_MS) : task.ms);
			if (this.#cause) return;
			this.#services.assertLeaseHeld();
			const model = this.#models.name;
			if (isRefused) {
				session.append(refusedBy(model), "assistant");
				if (await this.#models.next(PI_SESSION, { why: 429 })) continue;
				return this.end({ kind: "provider", message: "No quota is left." });
			}
			if (turns >= task.turns) {
				const result = task.silent ? "ANNOUNCE_SKIP" : answerTo(task);
				session.append(
					assistant(model, { name: FINALIZE_TOOL, arguments: { status: "SUCCESS", result } }),
					"assistant",
				);
				return this.end({ kind: "finalized", finalized: { status: "SUCCESS", result } });
			}
			session.append(assistant(model, { name: "ls", arguments: {} }), "assistant");
			session.append({ type: "message", message: { role: "toolResult", toolName: "ls", content: [] } }, "toolResult");
			const turnCount = ++turns;
			this.#services.onTurn({ usage: NO_USAGE, said: asItIs<Redacted>(`Turn ${turnCount}`) });
			this.#services.onProgress(() => ({ displayItems: [], usage: NO_USAGE, turnCount }));
			this.#takeMessages(session);
		}
	}

	/** As `child/ask.ts`: how it ended counts as told once the file holds it. False if the run has finished meanwhile. */
	async #ask(session: SimSession, question: string): Promise<boolean> {
		const { questions } = this.#services;
		const { id: runId } = this.#record.run;
		const held = session.entries.find(
			({ message }) => message?.toolName === ASK_TOOL && message.details?.runId === runId,
		)?.message?.details?.seq;
		if (held !== undefined) {
			questions.taken(held);
			return true;
		}
		await this.#think(question, 10);
		if (this.#cause) return false;
		this.#services.assertLeaseHeld();
		session.append(assistant(this.#models.name, { name: ASK_TOOL, arguments: { question } }), "assistant");
		const over = new AbortController();
		void this.#ended.promise.then(() => over.abort());
		const end = await questions.ask(asItIs<ChildQuestion>({ question }), over.signal);
		if (this.#cause || end.seq === undefined) return false;
		this.#services.assertLeaseHeld();
		const { seq, answered } = end;
		const details = { runId, seq, answered, ...(answered && { answer: end.answer }) };
		session.append(
			{ type: "message", message: { role: "toolResult", toolName: ASK_TOOL, content: [], details } },
			"toolResult",
		);
		questions.taken(seq);
		return true;
	}

	async #think(task: string, ms: number): Promise<void> {
		const request = {
			pid: this.#process.pid,
			task,
			startedAt: this.#world.scheduler.time,
			endedAt: Number.POSITIVE_INFINITY,
		};
		this.#world.requests.push(request);
		await Promise.race([this.#process.clock.sleep(ms), this.#ended.promise]);
		request.endedAt = this.#world.scheduler.time;
	}

	/** An extension's handler that fails does not end a run: the messages wait for the next turn. */
	#waiting(): InboxMessage[] {
		try {
			return this.#services.inbox.waiting();
		} catch (error) {
			if (error instanceof LedgerTrouble) return [];
			throw error;
		}
	}

	/** As `child/steering.ts`: a message counts as taken once the file holds it. */
	#takeMessages(session: SimSession): void {
		const { inbox } = this.#services;
		const { id: runId } = this.#record.run;
		for (const { seq } of this.#waiting()) {
			const isHeld = session.entries.some(({ customType, details }) => customType === STEERING && details?.seq === seq);
			if (!isHeld)
				session.append(
					{ type: "custom_message", customType: STEERING, content: "", details: { seq, runId } as never } as NewEntry,
					"message",
				);
			inbox.taken(seq);
		}
	}
}

const REFUSED_WITHIN_MS = 20;

/** What pi knows of models, and the session that changes to one: as much as is asked of them. */
const ALL_MODELS = {
	getModel: (provider: string, id: string) => ({ provider, id }),
	hasConfiguredAuth: () => true,
} as never;
const PI_SESSION = { setModel: async () => {}, setThinkingLevel: () => {} } as never;

const refusedBy = (model: string): Pick<Entry, "type" | "message"> => ({
	type: "message",
	message: { role: "assistant", stopReason: "error", model, content: [] },
});

const assistant = (
	model: string,
	call: { name: string; arguments: Record<string, unknown> },
): Pick<Entry, "type" | "message"> => ({
	type: "message",
	message: { role: "assistant", stopReason: "toolUse", model, content: [{ type: "toolCall", ...call }] },
});

/** Of this run, over all its attempts. */
function turnsOf(entries: readonly Entry[], runId: string): number {
	let isOurs = false;
	let turns = 0;
	for (const { customType, data, message } of entries) {
		if (customType === "pi-geon:task") isOurs = data?.runId === runId;
		else if (isOurs && message?.role === "assistant" && message.stopReason !== "error") turns++;
	}
	return turns;
}
