import { inOneLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { truncateForModel } from "../collect/truncate.ts";
import { transcriptToAnnounce } from "../ledger/archive.ts";
import { settleDeliveries, skipDelivery } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type EndedRecord, findRun } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation } from "../ports/conversation.ts";
import { changesForUser } from "../run/changes-in-short.ts";
import type { RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { SILENCE } from "../run/silence.ts";
import { type Announce, type Announcing, announceOf, poorAnnounceOf } from "./announce.ts";
import { shareOfEach } from "./fit.ts";
import type { RunEvents } from "./run-events.ts";
import { scriptedAmong } from "./scripted.ts";
import { type StoppedMessage, stoppedMessage } from "./stopped.ts";
import { announcedInMemory, reportedOnDisk } from "./transcript.ts";

/** A conversation that receives the outcomes of its runs, with the services for that. */
export interface Telling {
	talk: Conversation;
	ledger: Ledger;
	redactor: Redactor;
	events: Pick<RunEvents, "announced">;
	clock: Clock;
	log: Log;
}

/**
 * The announces of these runs, by run id, without those that another process has already made. If they would contain more
 * than `maxBytes` for the model, long ones are cut, and each of those names the file with the whole text.
 */
export function announcesOf(telling: Telling, due: readonly EndedRecord[], maxBytes: number): Map<RunId, Announce> {
	const { ledger, redactor, clock, log } = telling;
	const unreported = unreportedAmong(telling, due);
	const made = unreported.map((record) => {
		const announcing = { redactor, transcript: transcriptToAnnounce(ledger, record, clock.now()) };
		return { record, announcing, announce: announceOrSayWhyNot(telling, record, announcing) };
	});
	const share = shareOfEach(
		made.map(({ announce }) => bytesOf(announce)),
		maxBytes,
	);
	const announces = made.map(({ record, announcing, announce }): [RunId, Announce] => {
		if (share === undefined || bytesOf(announce) <= share) return [record.run.id, announce];
		const shown = shownBytes(record) - (bytesOf(announce) - share) - ROOM_FOR_WHEREABOUTS;
		const cut = { ...announcing, maxBytes: Math.max(shown, FEWEST_BYTES) };
		return [record.run.id, announceOrSayWhyNot(telling, record, cut)];
	});
	for (const { run, plan, parentSession } of unreported) {
		log.info("announcing", { runId: run.id, agent: plan.agent, session: parentSession });
	}
	return new Map(announces);
}

const bytesOf = ({ content }: Announce): number => Buffer.byteLength(content);

/** Room for the note in a cut report that names the file with the whole text. */
const ROOM_FOR_WHEREABOUTS = 300;
/** Each report keeps the first lines of its findings, even if there are very many. */
const FEWEST_BYTES = 200;

/** How much of the child's text its announce contains. */
function shownBytes({ run: { outcome } }: EndedRecord): number {
	const found = outcome.status === "success" ? undefined : outcome.output;
	const said = outcome.finalized?.result ?? found ?? "";
	return Buffer.byteLength(truncateForModel(said).text);
}

/**
 * The one line about runs that the user stopped, without those that another process has already reported. Undefined if
 * none is left.
 */
export function stopToReport(telling: Telling, due: readonly EndedRecord[]): StoppedMessage | undefined {
	const unreported = unreportedAmong(telling, due);
	if (unreported.length === 0) return undefined;
	for (const { run, plan, parentSession } of unreported) {
		telling.log.info("telling of a stop", { runId: run.id, agent: plan.agent, session: parentSession });
	}
	return stoppedMessage(unreported, telling.redactor);
}

/** Settles the runs that the session's file already reports. */
function unreportedAmong(telling: Telling, due: readonly EndedRecord[]): EndedRecord[] {
	if (due.length === 0) return [];
	const { talk, ledger } = telling;
	const onDisk = reportedOnDisk(talk, ledger.files, scriptedAmong(due));
	const reported = due.filter(({ run }) => onDisk.has(run.id));
	settle(
		telling,
		reported.map(({ run }) => run.id),
	);
	return due.filter(({ run }) => !onDisk.has(run.id));
}

/**
 * An announce that cannot be made must not block the others. Does not catch errors of the ledger, which concern all announces.
 */
function announceOrSayWhyNot({ talk, log }: Telling, record: EndedRecord, announcing: Announcing): Announce {
	try {
		return announceOf(record, announcing);
	} catch (error) {
		const { id } = record.run;
		log.error("cannot make the report of a run", { runId: id, session: talk.sessionId, error });
		talk.notify(`pi-geon cannot make the report of run ${id}: ${messageOf(error)}`, "error");
		return poorAnnounceOf(record, messageOf(error), announcing);
	}
}

/** Settles runs that the session's file reports. */
export function settle({ talk, ledger, events, clock, log }: Telling, ids: readonly RunId[]): void {
	if (ids.length === 0) return;
	// Before the delivery is settled: after an interruption in between, the next look counts it.
	talk.countUsage();
	const settled = settleDeliveries(ledger, ids, clock.now());
	const announced = announcedInMemory(talk);
	for (const id of settled) {
		// If the result of a call was the delivery, a look may find it before the end of the turn settles it.
		const isAnswered = !announced.has(id) && findRun(ledger, id)?.mode === "foreground";
		log.info(isAnswered ? "answered" : "announced", { runId: id, session: talk.sessionId });
		if (!isAnswered) events.announced(id);
	}
}

/** Tells the user but not the model, as the child asked. */
export function skipAnnounce({ talk, ledger, redactor, clock }: Telling, { run, plan, label }: EndedRecord): void {
	if (!skipDelivery(ledger, run.id, clock.now())) return;
	// After the ledger: an interruption in between loses the cost. The other order could count it twice, since another
	// process with this session open does not see our entry.
	const { model, usage, changes } = run.outcome;
	talk.countUsageOf({ runId: run.id, ...(model !== undefined && { model }), usage });
	const names = [plan.agent, ...(label === undefined ? [] : [`"${label}"`]), run.id];
	const name = redactor.redact(inOneLine(names.join(" ")));
	const said = [
		`${name} finished without a report (${SILENCE}).`,
		`/subagents info ${run.id} shows it.`,
		changesForUser(changes, run.id) ?? [],
	];
	talk.notify(said.flat().join(" "), "info");
}
