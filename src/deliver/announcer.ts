import { inOneLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { transcriptToTell } from "../ledger/archive.ts";
import { owedTo, settleDeliveries, skipDelivery } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation } from "../ports/conversation.ts";
import type { Ports } from "../ports/ports.ts";
import { archiveDue } from "../processes/housekeeping.ts";
import type { RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { SILENCE } from "../run/silence.ts";
import type { AskUser } from "../supervise/ask.ts";
import { type Hint, hint } from "../supervise/hint.ts";
import type { LiveRuns } from "../supervise/live-runs.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import { type Announce, type Announcing, announceOf, poorAnnounceOf, wantsSilence } from "./announce.ts";
import { AnnouncementsInFlight } from "./announcements-in-flight.ts";
import { DeliveryClaims } from "./delivery-claims.ts";
import { gather } from "./gather.ts";
import type { RunEvents } from "./run-events.ts";
import { toldInMemory, toldOnDisk } from "./transcript.ts";

/** How often the ledger is looked at while there is something to wait for and nobody gives a hint. */
const LOOK_EVERY_MS = 1000;
const LOOK_EVERY_MS_AFTER_TROUBLE = 5000;
/** How often it is looked at when there is nothing to wait for: a run may be sent off from a shell, or by another pi. */
const LOOK_EVERY_MS_AT_REST = 5000;
/** How long a prompt may take from its entry until the model works on it. */
const PROMPT_WITHIN_MS = 10_000;

/** What it takes to look after the runs of a session. */
export interface DeliveryServices {
	ledger: Ledger;
	supervisor: Supervisor;
	redactor: Redactor;
}

export interface AnnouncerSetup<Talk extends Conversation> {
	ports: Ports;
	log: Log;
	/** Who else hears of runs: other extensions, and the screen. */
	events: RunEvents;
	live: LiveRuns;
	/** Whether there can be a ledger at all. */
	wasEverUsed(): boolean;
	/** Opens what it needs, for one piece of work. */
	use<Result>(talk: Talk, work: (services: DeliveryServices) => Promise<Result>): Promise<Result>;
	askUser(talk: Talk, services: DeliveryServices): AskUser;
}

/**
 * Brings the outcomes of background runs, and of foreground runs whose waiter died, into the session that asked: once
 * each. What is owed is in the ledger; what was told is in the transcript. This only carries from one to the other, and
 * may be interrupted anywhere.
 */
export class Announcer<Talk extends Conversation = Conversation> {
	readonly #setup: AnnouncerSetup<Talk>;
	readonly #clock: Clock;
	readonly #claims: DeliveryClaims;
	/** Runs whose outcome a tool call of this process returns. */
	readonly #awaited = new Set<RunId>();
	/** Those of them whose call has not returned yet. */
	readonly #calling = new Set<RunId>();
	readonly #inFlight: AnnouncementsInFlight;
	readonly #hints: Hint;
	/** Whether anything can be owed to this session. */
	#concerned = false;
	/** How long the last look at the ledger took. */
	#lookMs = 0;
	/** Until when a prompt is on its way that pi does not yet count as work. */
	#promptUntil = 0;
	#loop: Promise<void> | undefined;
	#stopped = false;
	/** Said once, until a look goes well again. */
	#reported = false;
	/** Whether one of the runs could not be looked after at the last look. */
	#inTrouble = false;

	constructor(setup: AnnouncerSetup<Talk>) {
		this.#setup = setup;
		this.#clock = setup.ports.clock;
		this.#claims = new DeliveryClaims(setup.ports);
		this.#inFlight = new AnnouncementsInFlight(setup.ports.clock);
		this.#hints = hint(setup.ports.clock);
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

	/** A turn ended with these results: its entries are in the session, so what they tell has been delivered. */
	async settleResults(talk: Talk, told: RunId[]): Promise<void> {
		if (told.length === 0) return;
		await this.#setup.use(talk, async ({ ledger }) => {
			// Told, even if that cannot be written now: the next look writes it.
			for (const id of told) this.awaited(id);
			const onDisk = toldOnDisk(talk, ledger.files);
			const paid = told.filter((id) => onDisk.has(id));
			for (const id of settleDeliveries(ledger, paid, this.#clock.now())) {
				this.#setup.log.info("answered", { runId: id, session: talk.sessionId });
			}
		});
	}

	/** A session was opened. In a new one there is nothing to look for until it delegates. */
	begin(talk: Talk): void {
		if (wasUsed(talk)) this.attend(talk);
	}

	/** The parent came to rest: no tool call waits for anything any more. */
	rested(talk: Talk): void {
		if (this.#isBusy) return;
		this.#inFlight.piRested();
		this.#awaited.clear();
		this.attendAgain(talk);
	}

	/** The context of the session changed, which may have delivered something. */
	attendAgain(talk: Talk): void {
		if (this.#concerned) this.attend(talk);
	}

	/** A prompt was entered. Until pi works on it, it takes itself to be idle, and an announce would displace the prompt. */
	promptEntered(): void {
		this.#promptUntil = this.#clock.elapsed() + PROMPT_WITHIN_MS;
	}

	promptArrived(): void {
		this.#promptUntil = 0;
	}

	get isConcerned(): boolean {
		return this.#concerned;
	}

	/** There may be something to do: runs of this session were admitted, now or earlier. */
	attend(talk: Talk): void {
		this.#concerned = true;
		this.#hints.give();
		if (this.#stopped || !this.#setup.wasEverUsed()) return;
		this.#loop ??= this.#untilOver(talk).finally(() => {
			this.#loop = undefined;
		});
	}

	/** The loop of this session. What keeps it from opening the ledger is waited out where pi stays open. */
	async #untilOver(talk: Talk): Promise<void> {
		while (!this.#stopped) {
			try {
				return await this.#setup.use(talk, (services) => this.#carry(talk, services));
			} catch (error) {
				this.#report(talk, error);
				if (!talk.isInteractive) return;
				await this.#hints.next(LOOK_EVERY_MS_AFTER_TROUBLE);
			}
		}
	}

	/** The session is over here. What is still owed is delivered wherever it is opened next. */
	async stop(talk: Talk): Promise<void> {
		this.#stopped = true;
		this.#hints.give();
		await this.#loop;
		if (this.#inFlight.size + this.#claims.size === 0) return;
		await this.#setup.use(talk, async ({ ledger }) => {
			this.#settle(talk, ledger);
			archiveDue({ ledger, log: this.#setup.log, ports: this.#setup.ports });
			this.#claims.giveBack(ledger, talk.sessionId);
		});
	}

	async #carry(talk: Talk, services: DeliveryServices): Promise<void> {
		while (!this.#stopped) {
			const left = await this.#deliver(talk, services).catch((error) => this.#report(talk, error));
			if (left !== undefined && !this.#inTrouble) this.#reported = false;
			if (left === undefined) await this.#hints.next(LOOK_EVERY_MS_AFTER_TROUBLE);
			else if (left > 0) await this.#hints.next(LOOK_EVERY_MS);
			else if (talk.isInteractive) await this.#hints.next(LOOK_EVERY_MS_AT_REST);
			else return;
			// With a thousand runs a look takes a while, and each of them gives several hints.
			const pauseMs = Math.min(this.#lookMs, LOOK_EVERY_MS);
			if (!this.#stopped && left) await this.#clock.sleep(pauseMs);
		}
	}

	/** Announces what can be announced now. Answers how many runs there still are to see to. */
	async #deliver(talk: Talk, services: DeliveryServices): Promise<number> {
		const { open, due, elsewhere } = await this.look(talk, services);
		if (due.length > 0 && this.#mayInterrupt(talk)) {
			const together = await gather(due, async () => (await this.look(talk, services)).due, this.#clock);
			if (!this.#stopped && this.#mayInterrupt(talk)) talk.send(this.take(talk, services, together));
		}
		return open.length + due.length + elsewhere + this.#inFlight.size + this.#awaited.size;
	}

	/** Whatever pi says: of two prompts at the same moment it refuses one, and then takes itself for idle. */
	get #isBusy(): boolean {
		return this.#calling.size > 0;
	}

	#mayInterrupt(talk: Talk): boolean {
		return talk.isInteractive && talk.isIdle() && !this.#isBusy && this.#clock.elapsed() > this.#promptUntil;
	}

	/** Said once; tried again until it works, since a locked ledger or a full disk may be a matter of minutes. */
	#report(talk: Talk, error: unknown): undefined {
		if (this.#reported || this.#stopped) return;
		this.#reported = true;
		this.#setup.log.error("cannot look after its runs", { session: talk.sessionId, error });
		talk.notify(`pi-geon cannot look after its runs: ${messageOf(error)} Retrying.`, "error");
	}

	/** What is still at work for this session, and what is to be announced now. Settles what turns out to be told. */
	async look(talk: Talk, services: DeliveryServices): Promise<Look> {
		const started = this.#clock.elapsed();
		try {
			return await this.#lookAt(talk, services);
		} finally {
			this.#lookMs = this.#clock.elapsed() - started;
		}
	}

	async #lookAt(talk: Talk, services: DeliveryServices): Promise<Look> {
		const { ledger, supervisor } = services;
		const { events, live, askUser, log, ports } = this.#setup;
		const session = talk.sessionId;
		this.#inTrouble = false;
		const open = await supervisor.tend(session, {
			except: this.#awaited,
			onHint: this.#hints.give,
			onTrouble: (error) => {
				this.#inTrouble = true;
				return this.#report(talk, error);
			},
			onProgress: (id, progress) => live.heard(id, progress),
			followed: (open) => live.followed(open),
			onAsk: askUser(talk, services),
		});
		if (this.#stopped) return { open, due: [], elsewhere: 0 };
		live.observe(open);
		events.observe(open, services, this.#inFlight);
		this.#settle(talk, ledger);
		this.#claims.keep(ledger, [...this.#awaited, ...this.#inFlight.ids]);

		const owed = owedTo(ledger, session, this.#inFlight).flatMap((record): EndedRecord[] => {
			const { run } = record;
			return run.state === "ended" && !this.#awaited.has(run.id) ? [{ ...record, run }] : [];
		});
		for (const record of owed) events.saw(record, services);
		const ids = owed.map(({ run }) => run.id);
		const taken = this.#claims.take(ledger, ids);
		const held = ids.length > 0 ? toldInMemory(talk) : new Set();
		const told = ids.filter((id) => taken.has(id) && held.has(id));
		const paid = new Set(this.#pay(talk, ledger, told));
		const isTold = (id: RunId) => paid.has(id) || (held.has(id) && !isLost(talk, ledger));
		const untold = owed.filter(({ run }) => taken.has(run.id) && !isTold(run.id));
		const due = untold.filter((ended) => !wantsSilence(ended));
		for (const ended of untold) {
			if (!wantsSilence(ended) || !skipDelivery(ledger, ended.run.id, this.#clock.now())) continue;
			talk.notify(silenceLine(ended, services), "info");
		}
		const elsewhere = owed.length - taken.size;
		// Right after it was told, where the request said so; and whatever else has become due meanwhile.
		archiveDue({ ledger, log, ports });
		return { open, due, elsewhere };
	}

	/** The announces of these runs, now on their way, less those that another process turns out to have made. */
	take(talk: Talk, { ledger, redactor }: DeliveryServices, due: EndedRecord[]): Announce[] {
		const paid = new Set(
			this.#pay(
				talk,
				ledger,
				due.map(({ run }) => run.id),
			),
		);
		const untold = due.filter(({ run }) => !paid.has(run.id));
		const announces = untold.map((record) => {
			const transcript = transcriptToTell(ledger, record, this.#clock.now());
			return this.#announceOf(talk, record, { redactor, transcript });
		});
		for (const { run, plan, parentSession } of untold) {
			this.#inFlight.add(run.id);
			this.#setup.log.info("announcing", { runId: run.id, agent: plan.agent, session: parentSession });
		}
		return announces;
	}

	/** One that cannot be made must not hold up the others. What keeps us from the ledger is not caught: it concerns all. */
	#announceOf(talk: Talk, record: EndedRecord, announcing: Announcing): Announce {
		try {
			return announceOf(record, announcing);
		} catch (error) {
			const { id } = record.run;
			this.#setup.log.error("cannot make the report of a run", { runId: id, session: talk.sessionId, error });
			talk.notify(`pi-geon cannot make the report of run ${id}: ${messageOf(error)}`, "error");
			return poorAnnounceOf(record, messageOf(error), announcing);
		}
	}

	/** Resolves when something may have changed. */
	pause(withinMs: number): Promise<void> {
		return this.#hints.next(withinMs);
	}

	#settle(talk: Talk, ledger: Ledger): void {
		if (this.#inFlight.size === 0) return;
		const held = toldInMemory(talk);
		const arrived = this.#inFlight.ids.filter((id) => held.has(id));
		for (const id of this.#pay(talk, ledger, arrived)) {
			this.#setup.log.info("announced", { runId: id, session: talk.sessionId });
			this.#inFlight.arrived(id);
		}
		const atRest = talk.isIdle() && !talk.hasPending();
		this.#inFlight.forgetLost({ atRest, held: isLost(talk, ledger) ? new Set() : held });
	}

	/** Settles the debts of those runs of which the session's file tells. Answers which. */
	#pay(talk: Talk, ledger: Ledger, ids: RunId[]): RunId[] {
		if (ids.length === 0) return [];
		// Before the debt is paid: what is interrupted in between is counted at the next look.
		talk.countUsage();
		const onDisk = toldOnDisk(talk, ledger.files);
		const told = ids.filter((id) => onDisk.has(id));
		for (const id of settleDeliveries(ledger, told, this.#clock.now())) this.#setup.events.announced(id);
		return told;
	}
}

/** Nothing can be owed to a session in which nothing was said yet. */
const wasUsed = (talk: Conversation): boolean =>
	talk.entries().some(({ type }) => type === "message" || type === "custom_message");

/**
 * Whether an entry that only pi's memory holds will never be written, and another one would be. pi writes a session with the
 * first answer of the model, and everything in it then; from there on it writes each entry once, or not at all.
 */
const isLost = ({ file }: Conversation, { files }: Ledger): boolean =>
	file !== undefined && files.exists(file) && files.hasRoom(file);

interface Look {
	/** Not ended yet. */
	open: OpenRun[];
	/** Ended, and ours to announce. */
	due: EndedRecord[];
	/** How many another process sees to; ours too, if that one dies. */
	elsewhere: number;
}

/** For the user, and not for the model: that is what the child asked for. */
function silenceLine({ run, plan, label }: EndedRecord, { redactor }: DeliveryServices): string {
	const name = redactor.redact(
		inOneLine([plan.agent, ...(label === undefined ? [] : [`"${label}"`]), run.id].join(" ")),
	);
	return `${name} finished without a report (${SILENCE}). /subagents info ${run.id} shows it.`;
}
