import { isOwed, settleDeliveries } from "../ledger/deliveries.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation } from "../ports/conversation.ts";
import { archiveDue } from "../processes/housekeeping.ts";
import type { RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import type { AttendedSession } from "../supervise/calls.ts";
import type { AnnouncerSetup, DeliveryServices } from "./announcer-setup.ts";
import { carryOut } from "./carry-out.ts";
import { CurrentDrain, type Drain, type DrainMessages } from "./current-drain.ts";
import { type DeliveryState, decideDeliveries, NOTHING_GIVEN } from "./decide.ts";
import { DeliveryClaims } from "./delivery-claims.ts";
import { scriptedRuns } from "./scripted.ts";
import { SessionQuestions } from "./session-questions.ts";
import { seeDeliveries } from "./snapshot.ts";
import { settle, type Telling } from "./tell.ts";
import { reportedBy, reportedOnDisk } from "./transcript.ts";
import { UnsettledTurns } from "./unsettled-turns.ts";

/** How long to wait before trying to open the services again. */
const OPEN_AGAIN_MS = 5000;
/** How long a prompt may take from its entry until the model works on it. */
const PROMPT_WITHIN_MS = 10_000;
/** How long a pi waits for its runs before it says so. */
const DRAIN_SAYS_AFTER_MS = 1000;

/**
 * Brings the outcomes of background runs, and of foreground runs whose caller died, into the session that asked, each once.
 * The ledger has the outcomes that are owed; the transcript has those that were delivered. The announcer only carries
 * outcomes from one to the other, and may be interrupted anywhere. The parent's loop calls it at each look, and `decide.ts`
 * decides.
 */
export class Announcer<Talk extends Conversation = Conversation> {
	readonly #setup: AnnouncerSetup<Talk>;
	readonly #clock: Clock;
	readonly #claims: DeliveryClaims;
	#state: DeliveryState = NOTHING_GIVEN;
	/** The outcomes that were owed at the last look. */
	#owed: ReadonlyMap<RunId, EndedRecord> = new Map();
	/** Runs whose outcome a tool call of this process returns, each with its call. */
	readonly #awaited = new Map<RunId, string>();
	/** The awaited runs whose call has not returned yet. */
	readonly #calling = new Set<RunId>();
	/** Whether anything can be owed to this session. */
	#concerned = false;
	/** Set while the loop attends to the session. */
	#attended: { services: DeliveryServices; end: () => void } | undefined;
	#isOpening = false;
	/** Settles when the services opened for that are released. */
	#held: Promise<void> | undefined;
	#cancelOpening = () => {};
	readonly #unsettled: UnsettledTurns;
	readonly #questions: SessionQuestions<Talk>;
	readonly #draining = new CurrentDrain();
	#stopped = false;
	/** Whether trouble was reported since the last successful look. */
	#reported = false;

	constructor(setup: AnnouncerSetup<Talk>) {
		this.#setup = setup;
		this.#clock = setup.ports.clock;
		this.#claims = new DeliveryClaims(setup.ports);
		this.#questions = new SessionQuestions(setup);
		this.#unsettled = new UnsettledTurns(this.#clock, setup.log);
	}

	/** A tool call waits for this run, which is not announced in the meantime. */
	await(id: RunId, toolCall: string): void {
		this.#awaited.set(id, toolCall);
		this.#calling.add(id);
	}

	/** The tool call has returned. Its result enters the transcript once the calls beside it have returned too. */
	returned(id: RunId): void {
		this.#calling.delete(id);
	}

	/** The tool call's result is in the transcript, or there will be none. */
	endAwait(id: RunId): void {
		this.#awaited.delete(id);
		this.#calling.delete(id);
	}

	/** A turn ended with these results. They are settled a moment later, or when the session is left. */
	settleSoon(talk: Talk, results: TurnResults): void {
		const scripted = scriptedRuns(this.#awaited);
		if (reportedBy(results, scripted).length === 0) return;
		this.#unsettled.add(() => this.settleResults(talk, results, scripted));
	}

	/** A turn ended with these results: its entries are in the session, so the outcomes in them are delivered. */
	async settleResults(talk: Talk, results: TurnResults, scripted = scriptedRuns(this.#awaited)): Promise<void> {
		const reported = reportedBy(results, scripted);
		if (reported.length === 0) return;
		await this.#setup.use(talk, async ({ ledger }) => {
			// These are delivered even if the ledger cannot be written now: the next look records it.
			for (const id of reported) this.endAwait(id);
			// If an earlier look has settled them, there is no need to read the disk again.
			const due = reported.filter((id) => isOwed(ledger, id));
			if (due.length === 0) return;
			const onDisk = reportedOnDisk(talk, ledger.files, scripted);
			const paid = due.filter((id) => onDisk.has(id));
			for (const id of settleDeliveries(ledger, paid, this.#clock.now())) {
				this.#setup.log.info("answered", { runId: id, session: talk.sessionId });
			}
		});
	}

	/** A session was opened. A new one needs no attention until it delegates. */
	begin(talk: Talk): void {
		if (wasUsed(talk)) this.attend(talk);
	}

	/** The parent came to rest, so no tool call waits for a run any more. */
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

	/**
	 * A prompt was entered. Until pi works on it, pi reports that it is idle, and an announce would displace the prompt.
	 */
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

	/**
	 * For one-shot modes: the announces of the runs that finish next; none if there is nothing to wait for, or no time
	 * left.
	 */
	drain(talk: Talk, drain: Drain): Promise<DrainMessages> {
		const gathered = this.#draining.begin(drain);
		const sayAt = this.#clock.elapsed() + DRAIN_SAYS_AFTER_MS;
		this.#state = { ...this.#state, drain: this.#draining.stateUntil(sayAt) };
		this.attend(talk);
		return gathered;
	}

	/**
	 * This process leaves the session. Outcomes that are still owed are delivered by the process that opens it next.
	 */
	async stop(talk: Talk): Promise<void> {
		this.#stopped = true;
		await this.#unsettled.settleNow();
		this.#questions.end();
		this.#cancelOpening();
		this.#leave();
		// A pi that exits while it waits for its runs stops waiting.
		this.#endDrain();
		await this.#held;
		await this.#questions.leave(talk);
		if (this.#state.inFlight.size + this.#claims.size === 0) return;
		await this.#setup.use(talk, async (services) => {
			const { ledger } = services;
			const inFlight = [...this.#state.inFlight.keys()];
			const onDisk = inFlight.length > 0 ? reportedOnDisk(talk, ledger.files) : new Set();
			settle(
				this.#tellingTo(talk, services),
				inFlight.filter((id) => onDisk.has(id)),
			);
			archiveDue({ ledger, log: this.#setup.log, ports: this.#setup.ports });
			this.#claims.giveBack(ledger, talk.sessionId);
		});
	}

	/** Makes the loop attend to the session. If pi stays open, this waits until the ledger can be opened. */
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
			this.#endDrain();
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

	/**
	 * Reports trouble once. The work is retried until it succeeds, since a locked ledger or a full disk may pass within
	 * minutes.
	 */
	#report(talk: Talk, error: unknown): void {
		if (this.#draining.isOverdue(this.#clock.elapsed())) this.#endDrain();
		if (this.#reported || this.#stopped) return;
		this.#reported = true;
		this.#setup.log.error("cannot attend to its runs", { session: talk.sessionId, error });
		talk.notify(`pi-geon cannot read its run ledger: ${messageOf(error)} Retrying.`, "error");
	}

	#unawaited(open: readonly OpenRun[]): OpenRun[] {
		return open.filter(({ id }) => !this.#awaited.has(id));
	}

	/** Announces the outcomes that are due, and settles those that turn out to be delivered. */
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
			known: this.#owed,
			open: unawaited.length,
			awaited: this.#awaited,
			isCalling: this.#calling.size > 0,
			at: this.#clock.now(),
		});
		this.#owed = owed;
		for (const record of owed.values()) events.saw(record, services);
		const { state, actions, againInMs } = decideDeliveries(this.#state, seen, this.#clock.elapsed());
		this.#state = state;
		const carrying = {
			telling: this.#tellingTo(talk, services),
			remember: (change: (state: DeliveryState) => DeliveryState) => {
				this.#state = change(this.#state);
			},
			owed,
			open: unawaited.map(({ id }) => id),
			draining: this.#draining,
			lookAgain: () => services.supervisor.hint(),
		};
		for (const action of actions) carryOut(action, carrying);
		// Archives a session right after its delivery if the request asked for that, and all others that are due.
		archiveDue({ ledger, log, ports });
		if (talk.isInteractive) this.#questions.look(talk, services);
		if (!isInTrouble) this.#reported = false;
		if (againInMs === undefined) this.#leave();
		return againInMs;
	}

	#endDrain(): void {
		this.#draining.endWith([]);
		this.#state = { ...this.#state, drain: undefined };
	}

	#tellingTo(talk: Talk, { ledger, redactor }: DeliveryServices): Telling {
		const { events, log } = this.#setup;
		return { talk, ledger, redactor, events, log, clock: this.#clock };
	}
}

type TurnResults = Parameters<typeof reportedBy>[0];

/** A session without any messages cannot be owed an outcome. */
const wasUsed = (talk: Conversation): boolean =>
	talk.entries().some(({ type }) => type === "message" || type === "custom_message");
