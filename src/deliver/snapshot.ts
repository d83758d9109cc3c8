import { owedTo } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Conversation } from "../ports/conversation.ts";
import type { RunId } from "../run/ids.ts";
import { wantsSilence } from "./announce.ts";
import type { DeliverySnapshot, DeliveryState } from "./decide.ts";
import type { DeliveryClaims } from "./delivery-claims.ts";
import { scriptedAmong } from "./scripted.ts";
import { isStoppedByUser, wholeStops } from "./stopped.ts";
import { reportedInMemory, reportedOnDisk } from "./transcript.ts";

export interface Sight {
	talk: Conversation;
	ledger: Ledger;
	claims: DeliveryClaims;
	state: DeliveryState;
	/** The outcomes that were owed at the last look. */
	known: ReadonlyMap<RunId, EndedRecord>;
	/** How many runs have not finished and have no caller. */
	open: number;
	/** Runs whose outcome a tool call returns. */
	awaited: { has(id: RunId): boolean; readonly size: number };
	/** Whether one of these calls has not returned yet. */
	isCalling: boolean;
	at: number;
}

/** The outcomes that the session has not received, and what pi knows about them. */
export function seeDeliveries(sight: Sight): { owed: Map<RunId, EndedRecord>; seen: DeliverySnapshot } {
	const { talk, ledger, claims, state, open, awaited, isCalling } = sight;
	const owed = outcomesOwed(sight);
	const ours = claims.take(ledger, [...owed.keys()]);
	const inFlight = [...state.inFlight.keys()];
	const scripted = scriptedAmong(owed.values());
	const whole = wholeStops(ledger, talk.sessionId, [...owed.values()].filter(isStoppedByUser));
	const held = inFlight.length + owed.size > 0 ? reportedInMemory(talk, scripted) : new Set();
	// Read the disk only if it may have the answer: reading a large file takes a while.
	const mayBeOnDisk = [...inFlight, ...ours].some((id) => held.has(id));
	const seen = {
		open,
		awaited: awaited.size,
		owed: [...owed].map(([id, ended]) => ({
			id,
			isOurs: ours.has(id),
			wantsSilence: wantsSilence(ended),
			...(isStoppedByUser(ended) && { stopped: whole.has(id) ? ("whole" as const) : ("underway" as const) }),
		})),
		held,
		onDisk: mayBeOnDisk ? reportedOnDisk(talk, ledger.files, scripted) : new Set(),
		memoryIsLost: held.size > 0 && isMemoryLost(talk, ledger),
		talk: {
			isInteractive: talk.isInteractive,
			isIdle: talk.isIdle(),
			hasPending: talk.hasPending(),
			isCalling,
		},
	};
	return { owed, seen };
}

/** Leaves out outcomes that are on their way, and those that a call returns. */
function outcomesOwed({ talk, ledger, state, known, awaited, at }: Sight): Map<RunId, EndedRecord> {
	const records = owedTo(ledger, talk.sessionId, { at, except: state.inFlight, known });
	return new Map(
		records.flatMap((record): [RunId, EndedRecord][] => {
			const { run } = record;
			return run.state === "ended" && !awaited.has(run.id) ? [[run.id, { ...record, run }]] : [];
		}),
	);
}

/**
 * Whether an entry that exists only in pi's memory will never be written, although a new entry would be. pi creates a session
 * file with the model's first answer and everything before it. From then on, pi writes each entry once, or not at all.
 */
const isMemoryLost = ({ file }: Conversation, { files }: Ledger): boolean =>
	file !== undefined && files.exists(file) && files.hasRoom(file);
