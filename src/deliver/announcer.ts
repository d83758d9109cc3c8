import type { Redactor } from "../collect/redact/redactor.ts";
import { settleDeliveries } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openQuestionsOf } from "../ledger/open-questions.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation } from "../ports/conversation.ts";
import type { Ports } from "../ports/ports.ts";
import { archiveDue } from "../processes/housekeeping.ts";
import type { RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import type { AskUser } from "../supervise/ask.ts";
import type { AttendedSession } from "../supervise/calls.ts";
import type { LiveRuns } from "../supervise/live-runs.ts";
import type { QuestionDialogs } from "../supervise/question-dialogs.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import type { Announce } from "./announce.ts";
import { type DeliveryAction, type DeliveryState, decideDeliveries, given, NOTHING_GIVEN } from "./decide.ts";
import { DeliveryClaims } from "./delivery-claims.ts";
import { spentOnTurn } from "./gather.ts";
import type { RunEvents } from "./run-events.ts";
import { scriptedRuns } from "./scripted.ts";
import { seeDeliveries } from "./snapshot.ts";
import type { StoppedMessage } from "./stopped.ts";
import { announcesOf, settle, skipAnnounce, stopToTell, type Telling } from "./tell.ts";
import { toldBy, toldOnDisk } from "./transcript.ts";

/** After how long to try again what could not be opened. */
const OPEN_AGAIN_MS = 5000;
/** How long a prompt may take from its entry until the model works on it. */
const PROMPT_WITHIN_MS = 10_000;
/** When a pi that waits for its runs first says so. */
const DRAIN_SAYS_AFTER_MS = 1000;

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
	/** Most sessions never need them. */
	openQuestionDialogs(talk: Talk, services: DeliveryServices): Promise<QuestionDialogs>;
}

/** A pi that is about to exit, and waits for the runs of its session. */
export interface Drain {
	deadline: number;
	/** Said to the user. */
	sayAwaited(open: readonly RunId[], forMs: number): void;
	sayLeft(open: readonly RunId[]): void;
}

/**
 * Brings the outcomes of background runs, and of foreground runs whose caller died, into the session that asked: once
 * each. What is owed is in the ledger; what was told is in the transcript. This only carries from one to the other, and
 * may be interrupted anywhere. The loop of the parent has it look, `decide.ts` decides.
 */
export class Announcer<Talk extends Conversation = Conversation> {
	readonly #setup: AnnouncerSetup<Talk>;
	readonly #clock: Clock;
	readonly #claims: DeliveryClaims;
	#state: DeliveryState = NOTHING_GIVEN;
	/** Runs whose outcome a tool call of this process returns, with that call. */
	readonly #awaited = new Map<RunId, string>();
	/** Those of them whose call has not returned yet. */
	readonly #calling = new Set<RunId>();
	/** Whether anything can be owed to this session. */
	#concerned = false;
	/** While the loop looks after the session. */
	#attended: { services: DeliveryServices; end: () => void } | undefined;
	#isOpening = false;
	/** Until the services that were opened for that are given back. */
	#held: Promise<void> | undefined;
	#cancelOpening = () => {};
	#questions: QuestionDialogs | "opening" | undefined;
	#drain: (Drain & { handOver(told: HandedOver): void }) | undefined;
	#stopped = false;
	/** Said once, until a look goes well again. */
	#reported = false;

	constructor(setup: AnnouncerSetup<Talk>) {
		this.#setup = setup;
		this.#clock = setup.ports.clock;
		this.#claims = new DeliveryClaims(setup.ports);
	}

	/** A tool call waits for this run: it is not announced while that lives. */
	await(id: RunId, toolCall: string): void {
		this.#awaited.set(id, toolCall);
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
	async settleResults(talk: Talk, results: Parameters<typeof toldBy>[0]): Promise<void> {
		const scripted = scriptedRuns(this.#awaited);
		const told = toldBy(results, scripted);
		if (told.length === 0) return;
		await this.#setup.use(talk, async ({ ledger }) => {
			// Told, even if that cannot be written now: the next look writes it.
			for (const id of told) this.awaited(id);
			const onDisk = toldOnDisk(talk, ledger.files, scripted);
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
		if (this.#calling.size > 0) return;
		this.#state = { ...this.#state, restedAt: this.#clock.elapsed() };
		this.#awaited.clear();
		this.attendAgain(talk);
	}

	/** The context of the session changed, which may have delivered something. */
	attendAgain(talk: Talk): void {
		if (this.#concerned) this.attend(talk);
	}

	/** A prompt was entered. Until pi works on it, it takes itself to be idle, and an announce would displace the prompt. */
	promptEntered(): void {
		this.#state = { ...this.#state, promptUntil: this.#clock.elapsed() + PROMPT_WITHIN_MS };
	}

	promptArrived(): void {
		this.#state = { ...this.#state, promptUntil: 0 };
	}

	get isConcerned(): boolean {
		return this.#concerned;
	}

	/** There may be something to do: runs of this session were admitted, now or earlier. */
	attend(talk: Talk): void {
		this.#concerned = true;
		this.#attended?.services.supervisor.hint();
		if (this.#attended || this.#isOpening || this.#stopped || !this.#setup.wasEverUsed()) return;
		this.#cancelOpening();
		this.#isOpening = true;
		this.#held = this.#open(talk);
	}

	/** For one-shot modes: the announces of the next runs to end; none if there is nothing to wait for, or no time left. */
	drain(talk: Talk, drain: Drain): Promise<HandedOver> {
		const { promise, resolve } = Promise.withResolvers<HandedOver>();
		this.#drain = { ...drain, handOver: resolve };
		const sayAt = this.#clock.elapsed() + DRAIN_SAYS_AFTER_MS;
		this.#state = { ...this.#state, drain: { deadline: drain.deadline, sayAt } };
		this.attend(talk);
		return promise;
	}

	/** The session is over here. What is still owed is delivered wherever it is opened next. */
	async stop(talk: Talk): Promise<void> {
		this.#stopped = true;
		this.#cancelOpening();
		this.#leave();
		// A pi that is ended while it waits for its runs waits no longer.
		this.#handOver([]);
		await this.#held;
		await this.#leaveQuestions(talk);
		if (this.#state.inFlight.size + this.#claims.size === 0) return;
		await this.#setup.use(talk, async (services) => {
			const { ledger } = services;
			const inFlight = [...this.#state.inFlight.keys()];
			const onDisk = inFlight.length > 0 ? toldOnDisk(talk, ledger.files) : new Set();
			settle(
				this.#tellingTo(talk, services),
				inFlight.filter((id) => onDisk.has(id)),
			);
			archiveDue({ ledger, log: this.#setup.log, ports: this.#setup.ports });
			this.#claims.giveBack(ledger, talk.sessionId);
		});
	}

	/** Has the loop look after the session. What keeps it from opening the ledger is waited out where pi stays open. */
	async #open(talk: Talk): Promise<void> {
		try {
			await this.#setup.use(talk, async (services) => {
				this.#isOpening = false;
				if (this.#stopped) return;
				const { promise, resolve } = Promise.withResolvers<void>();
				this.#attended = { services, end: resolve };
				services.supervisor.attend(this.#sessionOf(talk, services));
				await promise;
			});
		} catch (error) {
			this.#isOpening = false;
			this.#report(talk, error);
			this.#handOver([]);
			if (!talk.isInteractive || this.#stopped) return;
			this.#cancelOpening = this.#clock.after(OPEN_AGAIN_MS, () => this.attend(talk));
		}
	}

	#leave(): void {
		const attended = this.#attended;
		this.#attended = undefined;
		attended?.services.supervisor.leave();
		attended?.end();
	}

	#sessionOf(talk: Talk, services: DeliveryServices): AttendedSession {
		const { live, askUser } = this.#setup;
		return {
			id: talk.sessionId,
			look: (open, isInTrouble) => this.#look(talk, services, { open, isInTrouble }),
			followed: (open) => live.followed(this.#unawaited(open)),
			heard: (id, progress) => live.heard(id, progress),
			onAsk: askUser(talk, services),
			hasUser: talk.isInteractive,
			onTrouble: (error) => this.#report(talk, error),
		};
	}

	/** Said once; tried again until it works, since a locked ledger or a full disk may be a matter of minutes. */
	#report(talk: Talk, error: unknown): void {
		if (this.#drain && this.#clock.elapsed() >= this.#drain.deadline) this.#handOver([]);
		if (this.#reported || this.#stopped) return;
		this.#reported = true;
		this.#setup.log.error("cannot look after its runs", { session: talk.sessionId, error });
		talk.notify(`pi-geon cannot read its run ledger: ${messageOf(error)} Retrying.`, "error");
	}

	#unawaited(open: readonly OpenRun[]): OpenRun[] {
		return open.filter(({ id }) => !this.#awaited.has(id));
	}

	/** Announces what can be announced now, and settles what turns out to be told. */
	#look(
		talk: Talk,
		services: DeliveryServices,
		{ open, isInTrouble }: { open: readonly OpenRun[]; isInTrouble: boolean },
	): number | undefined {
		const { events, live, log, ports } = this.#setup;
		const { ledger } = services;
		const unawaited = this.#unawaited(open);
		live.observe(unawaited);
		events.observe(open, services, this.#state.inFlight);
		this.#claims.keep(ledger, [...this.#awaited.keys(), ...this.#state.inFlight.keys()]);
		const { owed, seen } = seeDeliveries({
			talk,
			ledger,
			claims: this.#claims,
			state: this.#state,
			open: unawaited.length,
			awaited: this.#awaited,
			isCalling: this.#calling.size > 0,
			at: this.#clock.now(),
		});
		for (const record of owed.values()) events.saw(record, services);
		const { state, actions, againInMs } = decideDeliveries(this.#state, seen, this.#clock.elapsed());
		this.#state = state;
		const telling = this.#tellingTo(talk, services);
		for (const action of actions) this.#act(action, { telling, open: unawaited, owed });
		// Right after it was told, where the request said so; and whatever else has become due meanwhile.
		archiveDue({ ledger, log, ports });
		if (talk.isInteractive) this.#lookAtQuestions(talk, services);
		if (!isInTrouble) this.#reported = false;
		if (againInMs === undefined) this.#leave();
		return againInMs;
	}

	#lookAtQuestions(talk: Talk, services: DeliveryServices): void {
		if (this.#questions === "opening") return;
		this.#questions?.look();
		if (this.#questions || openQuestionsOf(services.ledger, talk.sessionId).length === 0) return;
		this.#questions = "opening";
		const opened = (dialogs: QuestionDialogs | undefined) => {
			this.#questions = dialogs;
			if (!this.#stopped) services.supervisor.hint();
		};
		this.#setup.openQuestionDialogs(talk, services).then(opened, (error) => {
			this.#setup.log.error("cannot show questions", { session: talk.sessionId, error });
			opened(undefined);
		});
	}

	/** What cannot be given back now is found to be nobody's once this process is gone. */
	async #leaveQuestions(talk: Talk): Promise<void> {
		const questions = this.#questions;
		if (!questions || questions === "opening") return;
		try {
			await this.#setup.use(talk, async () => questions.leave());
		} catch (error) {
			this.#setup.log.warn("cannot give questions back", { session: talk.sessionId, error });
		}
	}

	#act(action: DeliveryAction, { telling, open, owed }: Acting): void {
		const records = "ids" in action ? action.ids.flatMap((id) => owed.get(id) ?? []) : [];
		const openIds = open.map(({ id }) => id);
		switch (action.do) {
			case "settle":
				settle(telling, action.ids);
				break;
			case "skip":
				for (const ended of records) skipAnnounce(telling, ended);
				break;
			case "announce": {
				const announces = this.#take(telling, records, action.maxBytes);
				if (announces.length > 0 && records.some(startsTurn)) telling.talk.send(announces);
				else for (const announce of announces) telling.talk.add(announce);
				break;
			}
			case "tell what the user stopped": {
				const message = this.#takeStopped(telling, records);
				if (message) telling.talk.add(message);
				break;
			}
			case "deliver due": {
				const announces = this.#take(telling, records, action.maxBytes);
				// Another process may have told them all, and there may be more to wait for.
				if (announces.length === 0 && records.length > 0) {
					this.#drainOn();
					break;
				}
				const message = this.#takeStopped(
					telling,
					action.stopped.flatMap((id) => owed.get(id) ?? []),
				);
				this.#handOver([...(message ? [message] : []), ...announces]);
				break;
			}
			case "say what is awaited":
				this.#drain?.sayAwaited(openIds, action.forMs);
				break;
			case "say what is left":
				this.#drain?.sayLeft(openIds);
				break;
		}
	}

	#drainOn(): void {
		if (!this.#drain) return;
		this.#state = { ...this.#state, drain: { deadline: this.#drain.deadline, sayAt: this.#clock.elapsed() } };
		this.#attended?.services.supervisor.hint();
	}

	#handOver(messages: HandedOver): void {
		this.#drain?.handOver(messages);
		this.#drain = undefined;
		this.#state = { ...this.#state, drain: undefined };
	}

	/** The announces of these runs, now on their way. */
	#take(telling: Telling, due: EndedRecord[], maxBytes: number): Announce[] {
		const announces = announcesOf(telling, due, maxBytes);
		const bytes = [...announces.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
		this.#state = spentOnTurn(given(this.#state, [...announces.keys()], this.#clock.elapsed()), bytes);
		return [...announces.values()];
	}

	#takeStopped(telling: Telling, due: EndedRecord[]): StoppedMessage | undefined {
		const message = stopToTell(telling, due);
		const ids = message?.details.runs.map(({ runId }) => runId) ?? [];
		this.#state = given(this.#state, ids, this.#clock.elapsed());
		return message;
	}

	#tellingTo(talk: Talk, { ledger, redactor }: DeliveryServices): Telling {
		const { events, log } = this.#setup;
		return { talk, ledger, redactor, events, log, clock: this.#clock };
	}
}

/** What a draining pi puts into its conversation. */
type HandedOver = readonly (Announce | StoppedMessage)[];

/** A model that is idle need not be woken for what the user asked for. */
const startsTurn = ({ plan }: EndedRecord): boolean => plan.byUser !== true;

interface Acting {
	telling: Telling;
	open: OpenRun[];
	owed: ReadonlyMap<RunId, EndedRecord>;
}

/** Nothing can be owed to a session in which nothing was said yet. */
const wasUsed = (talk: Conversation): boolean =>
	talk.entries().some(({ type }) => type === "message" || type === "custom_message");
