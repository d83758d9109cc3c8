import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import { type Announce, announceOf, wantsSilence } from "../deliver/announce.ts";
import { toldInMemory, toldOnDisk } from "../deliver/transcript.ts";
import { archiveDue } from "../host/housekeeping.ts";
import { transcriptToTell } from "../ledger/archive.ts";
import { owedTo, settleDeliveries, skipDelivery } from "../ledger/deliveries.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { RunId } from "../run/ids.ts";
import { SILENCE } from "../run/silence.ts";
import { hint } from "../supervise/hint.ts";
import { AnnouncesUnderway } from "./announces-underway.ts";
import { askUser } from "./ask-user.ts";
import { countUsage } from "./count-usage.ts";
import { gather } from "./gather.ts";
import type { LiveRuns } from "./live-runs.ts";
import { OurDeliveries } from "./our-deliveries.ts";
import { parentLog } from "./parent-log.ts";
import type { RunEvents } from "./run-events.ts";
import { type SessionServices, wasEverUsed } from "./session-services.ts";

/** How often the ledger is looked at while there is something to wait for and nobody gives a hint. */
const LOOK_EVERY_MS = 1000;
const LOOK_EVERY_MS_AFTER_TROUBLE = 10_000;
/** How often it is looked at when there is nothing to wait for: a run may be sent off from a shell, or by another pi. */
const LOOK_EVERY_MS_AT_REST = 5000;
/** How long a prompt may take from its entry until the model works on it. */
const PROMPT_WITHIN_MS = 10_000;

/**
 * Brings the outcomes of background runs, and of foreground runs whose waiter died, into the session that asked: once
 * each. What is owed is in the ledger; what was told is in the transcript. This only carries from one to the other, and
 * may be interrupted anywhere.
 */
export class Announcer {
	readonly #pi: ExtensionAPI;
	readonly #services: SessionServices;
	readonly #events: RunEvents;
	readonly #live: LiveRuns;
	readonly #ours = new OurDeliveries();
	/** Runs whose outcome a tool call of this process returns. */
	readonly #awaited = new Set<RunId>();
	/** Those of them whose call has not returned yet. */
	readonly #calling = new Set<RunId>();
	readonly #underway = new AnnouncesUnderway();
	readonly #hints = hint();
	/** Whether anything can be owed to this session. */
	#concerned = false;
	/** How long the last look at the ledger took. */
	#lookMs = 0;
	/** Until when a prompt is on its way that pi does not yet count as work. */
	#promptUntil = 0;
	#loop: Promise<void> | undefined;
	#stopped = false;
	#reported = false;

	constructor(pi: ExtensionAPI, services: SessionServices, { events, live }: { events: RunEvents; live: LiveRuns }) {
		this.#pi = pi;
		this.#services = services;
		this.#events = events;
		this.#live = live;
	}

	/** A tool call waits for this run: it is not announced while that lives. */
	await(id: RunId): void {
		this.#awaited.add(id);
		this.#calling.add(id);
	}

	/** The tool call has returned. Its result comes into the transcript when those beside it have returned too. */
	returned(id: RunId): void {
		this.#calling.delete(id);
	}

	/** The tool call's result is in the transcript, or there will be none. */
	awaited(id: RunId): void {
		this.#awaited.delete(id);
		this.#calling.delete(id);
	}

	/** A session was opened. In a new one there is nothing to look for until it delegates. */
	begin(ctx: ExtensionContext): void {
		if (wasUsed(ctx)) this.attend(ctx);
	}

	/** The parent came to rest: no tool call waits for anything any more. */
	rested(ctx: ExtensionContext): void {
		if (this.#isBusy) return;
		this.#underway.piRested();
		this.#awaited.clear();
		this.attendAgain(ctx);
	}

	/** The context of the session changed, which may have delivered something. */
	attendAgain(ctx: ExtensionContext): void {
		if (this.#concerned) this.attend(ctx);
	}

	/** A prompt was entered. Until pi works on it, it takes itself to be idle, and an announce would displace the prompt. */
	promptEntered(): void {
		this.#promptUntil = performance.now() + PROMPT_WITHIN_MS;
	}

	promptArrived(): void {
		this.#promptUntil = 0;
	}

	get isConcerned(): boolean {
		return this.#concerned;
	}

	/** There may be something to do: runs of this session were admitted, now or earlier. */
	attend(ctx: ExtensionContext): void {
		this.#concerned = true;
		this.#hints.give();
		if (this.#stopped || !wasEverUsed()) return;
		this.#loop ??= this.#services
			.use(ctx, (services) => this.#carry(ctx, services))
			.catch((error) => {
				parentLog.error("cannot deliver announces", { error });
				ctx.ui.notify(`pi-geon cannot deliver announces: ${error.message}`, "error");
			})
			.finally(() => {
				this.#loop = undefined;
			});
	}

	/** The session is over here. What is still owed is delivered wherever it is opened next. */
	async stop(ctx: ExtensionContext): Promise<void> {
		this.#stopped = true;
		this.#hints.give();
		await this.#loop;
		if (this.#underway.size + this.#ours.size === 0) return;
		await this.#services.use(ctx, async ({ ledger }) => {
			this.#settle(ctx, ledger);
			archiveDue({ ledger, log: parentLog });
			this.#ours.giveBack(ledger, ctx.sessionManager.getSessionId());
		});
	}

	async #carry(ctx: ExtensionContext, services: Services): Promise<void> {
		while (!this.#stopped) {
			const left = await this.#deliver(ctx, services).catch((error) => this.#report(ctx, error));
			if (left === undefined) await this.#hints.next(LOOK_EVERY_MS_AFTER_TROUBLE);
			else if (left > 0) await this.#hints.next(LOOK_EVERY_MS);
			else if (isInteractive(ctx)) await this.#hints.next(LOOK_EVERY_MS_AT_REST);
			else return;
			// With a thousand runs a look takes a while, and each of them gives several hints.
			const pauseMs = Math.min(this.#lookMs, LOOK_EVERY_MS);
			if (!this.#stopped && left) await new Promise((resolve) => setTimeout(resolve, pauseMs));
		}
	}

	/** Announces what can be announced now. Answers how many runs there still are to see to. */
	async #deliver(ctx: ExtensionContext, services: Services): Promise<number> {
		const { open, due, elsewhere } = await this.look(ctx, services);
		if (due.length > 0 && this.#mayInterrupt(ctx)) {
			const together = await gather(due, async () => (await this.look(ctx, services)).due);
			if (!this.#stopped && this.#mayInterrupt(ctx)) this.#send(this.take(ctx, services, together));
		}
		return open.length + due.length + elsewhere + this.#underway.size + this.#awaited.size;
	}

	/** Whatever pi says: of two prompts at the same moment it refuses one, and then takes itself for idle. */
	get #isBusy(): boolean {
		return this.#calling.size > 0;
	}

	#mayInterrupt(ctx: ExtensionContext): boolean {
		return isInteractive(ctx) && ctx.isIdle() && !this.#isBusy && performance.now() > this.#promptUntil;
	}

	/** Said once; tried again until it works, since a locked ledger or a full disk may be a matter of minutes. */
	#report(ctx: ExtensionContext, error: Error): undefined {
		if (this.#reported || this.#stopped) return;
		this.#reported = true;
		parentLog.error("cannot see to its runs", { session: ctx.sessionManager.getSessionId(), error });
		ctx.ui.notify(`pi-geon cannot see to its runs: ${error.message}. It tries again.`, "error");
	}

	/** What is still at work for this session, and what is to be announced now. Settles what turns out to be told. */
	async look(ctx: ExtensionContext, services: Services): Promise<Look> {
		const started = performance.now();
		try {
			return await this.#lookAt(ctx, services);
		} finally {
			this.#lookMs = performance.now() - started;
		}
	}

	async #lookAt(ctx: ExtensionContext, services: Services): Promise<Look> {
		const { ledger, supervisor } = services;
		const session = ctx.sessionManager.getSessionId();
		const open = await supervisor.tend(session, {
			except: this.#awaited,
			onHint: this.#hints.give,
			onProgress: (id, progress) => this.#live.heard(id, progress),
			followed: (open) => this.#live.followed(open),
			onAsk: askUser(ctx, services),
		});
		if (this.#stopped) return { open, due: [], elsewhere: 0 };
		this.#live.observe(open);
		this.#events.observe(open, services, this.#underway);
		this.#settle(ctx, ledger);
		this.#ours.keep(ledger, [...this.#awaited, ...this.#underway.ids]);

		const owed = owedTo(ledger, session, this.#underway).flatMap((record): EndedRecord[] => {
			const { run } = record;
			return run.state === "ended" && !this.#awaited.has(run.id) ? [{ ...record, run }] : [];
		});
		for (const record of owed) this.#events.saw(record, services);
		const ids = owed.map(({ run }) => run.id);
		const taken = this.#ours.take(ledger, ids);
		const held = ids.length > 0 ? toldInMemory(ctx.sessionManager) : new Set();
		this.#pay(
			ctx,
			ledger,
			ids.filter((id) => taken.has(id) && held.has(id)),
		);
		const untold = owed.filter(({ run }) => taken.has(run.id) && !held.has(run.id));
		const due = untold.filter((ended) => !wantsSilence(ended));
		for (const ended of untold) {
			if (wantsSilence(ended) && skipDelivery(ledger, ended.run.id, Date.now())) tellOfSilence(ctx, ended, services);
		}
		const elsewhere = owed.length - taken.size;
		// Right after it was told, where the request said so; and whatever else has become due meanwhile.
		archiveDue({ ledger, log: parentLog });
		return { open, due, elsewhere };
	}

	/** The announces of these runs, now on their way, less those that another process turns out to have made. */
	take(ctx: ExtensionContext, { ledger, redactor }: Services, due: EndedRecord[]): Announce[] {
		const paid = new Set(
			this.#pay(
				ctx,
				ledger,
				due.map(({ run }) => run.id),
			),
		);
		const untold = due.filter(({ run }) => !paid.has(run.id));
		const announces = untold.map((record) =>
			announceOf(record, { redactor, transcript: transcriptToTell(ledger, record, Date.now()) }),
		);
		for (const { run, plan, parentSession } of untold) {
			this.#underway.add(run.id);
			parentLog.info("announcing", { runId: run.id, agent: plan.agent, session: parentSession });
		}
		return announces;
	}

	/** Resolves when something may have changed. */
	pause(withinMs: number): Promise<void> {
		return this.#hints.next(withinMs);
	}

	/** One message a run, and one turn for all of them. */
	#send(announces: Announce[]): void {
		for (const [index, announce] of announces.entries()) {
			const isLast = index === announces.length - 1;
			this.#pi.sendMessage(announce, isLast ? { triggerTurn: true, deliverAs: "followUp" } : { triggerTurn: false });
		}
	}

	#settle(ctx: ExtensionContext, ledger: Services["ledger"]): void {
		if (this.#underway.size === 0) return;
		const held = toldInMemory(ctx.sessionManager);
		const arrived = this.#underway.ids.filter((id) => held.has(id));
		for (const id of this.#pay(ctx, ledger, arrived)) {
			parentLog.info("announced", { runId: id, session: ctx.sessionManager.getSessionId() });
			this.#underway.arrived(id);
		}
		this.#underway.forgetLost({ atRest: ctx.isIdle() && !ctx.hasPendingMessages(), held });
	}

	/** Settles the debts of those runs of which the session's file tells. Answers which. */
	#pay(ctx: ExtensionContext, ledger: Services["ledger"], ids: RunId[]): RunId[] {
		if (ids.length === 0) return [];
		// Before the debt is paid: what is interrupted in between is counted at the next look.
		countUsage(ctx);
		const onDisk = toldOnDisk(ctx.sessionManager);
		const told = ids.filter((id) => onDisk.has(id));
		for (const id of settleDeliveries(ledger, told, Date.now())) this.#events.announced(id);
		return told;
	}
}

/** Nothing can be owed to a session in which nothing was said yet. */
const wasUsed = ({ sessionManager }: ExtensionContext): boolean =>
	sessionManager.getEntries().some(({ type }) => type === "message" || type === "custom_message");

interface Look {
	/** Not ended yet. */
	open: OpenRun[];
	/** Ended, and ours to announce. */
	due: EndedRecord[];
	/** How many another process sees to; ours too, if that one dies. */
	elsewhere: number;
}

/** For the user, and not for the model: that is what the child asked for. */
function tellOfSilence(ctx: ExtensionContext, { run, plan, label }: EndedRecord, { redactor }: Services): void {
	const name = redactor.redact(
		inOneLine([plan.agent, ...(label === undefined ? [] : [`"${label}"`]), run.id].join(" ")),
	);
	const line = `${name} finished without a report (${SILENCE}). /subagents info ${run.id} shows it.`;
	if (ctx.hasUI) ctx.ui.notify(line, "info");
	else process.stderr.write(`pi-geon: ${line}\n`);
}

/** Where pi stays after it has answered, so that it can be woken. */
const isInteractive = (ctx: ExtensionContext): boolean => ctx.mode === "tui" || ctx.mode === "rpc";
