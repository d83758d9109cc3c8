import type { EndedRecord } from "../ledger/records.ts";
import type { RunId } from "../run/ids.ts";
import type { Announce } from "./announce.ts";
import type { CurrentDrain, DrainMessages } from "./current-drain.ts";
import { type DeliveryAction, type DeliveryState, given } from "./decide.ts";
import { spentOnTurn } from "./gather.ts";
import type { StoppedMessage } from "./stopped.ts";
import { announcesOf, settle, skipAnnounce, stopToReport, type Telling } from "./tell.ts";

/** The actions on a session, with the services they need. */
export interface Carrying {
	telling: Telling;
	/** Called before pi receives anything: pi may call back at once, which also changes the remembered state. */
	remember(change: (state: DeliveryState) => DeliveryState): void;
	owed: ReadonlyMap<RunId, EndedRecord>;
	/** The runs that no call awaits, and that have not finished. */
	open: readonly RunId[];
	draining: CurrentDrain;
	/** Makes the parent look again without waiting for a hint. */
	lookAgain(): void;
}

/** Does what was decided about deliveries. */
export function carryOut(action: DeliveryAction, carrying: Carrying): void {
	const { telling, open, draining } = carrying;
	const records = "ids" in action ? recordsOf(action.ids, carrying) : [];
	switch (action.do) {
		case "settle":
			settle(telling, action.ids);
			break;
		case "skip":
			for (const ended of records) skipAnnounce(telling, ended);
			break;
		case "announce": {
			const announces = takeAnnounces(carrying, records, action.maxBytes);
			if (announces.length > 0 && records.some(startsTurn)) telling.talk.send(announces);
			else for (const announce of announces) telling.talk.add(announce);
			break;
		}
		case "tell what the user stopped": {
			const message = takeStopped(carrying, records);
			if (message) telling.talk.add(message);
			break;
		}
		case "deliver due": {
			const announces = takeAnnounces(carrying, records, action.maxBytes);
			// Another process has delivered them all. There may be more to wait for.
			if (announces.length === 0 && records.length > 0) drainOn(carrying);
			else endDrain(carrying, [takeStopped(carrying, recordsOf(action.stopped, carrying)) ?? [], announces].flat());
			break;
		}
		case "say what is awaited":
			draining.sayAwaited(open, action.forMs);
			break;
		case "say what is left":
			draining.sayLeft(open);
			break;
	}
}

const recordsOf = (ids: readonly RunId[], { owed }: Carrying): EndedRecord[] => ids.flatMap((id) => owed.get(id) ?? []);

/** The announces of these runs, now on their way. */
function takeAnnounces({ telling, remember }: Carrying, due: EndedRecord[], maxBytes: number): Announce[] {
	const announces = announcesOf(telling, due, maxBytes);
	const bytes = [...announces.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
	remember((state) => spentOnTurn(given(state, [...announces.keys()], telling.clock.elapsed()), bytes));
	return [...announces.values()];
}

function takeStopped({ telling, remember }: Carrying, due: EndedRecord[]): StoppedMessage | undefined {
	const message = stopToReport(telling, due);
	const ids = message?.details.runs.map(({ runId }) => runId) ?? [];
	remember((state) => given(state, ids, telling.clock.elapsed()));
	return message;
}

function drainOn({ telling, remember, draining, lookAgain }: Carrying): void {
	remember((state) => ({ ...state, drain: draining.stateUntil(telling.clock.elapsed()) }));
	lookAgain();
}

function endDrain({ remember, draining }: Carrying, messages: DrainMessages): void {
	draining.endWith(messages);
	remember((state) => ({ ...state, drain: undefined }));
}

/** The report of a run that the user asked for does not start a turn. */
const startsTurn = ({ plan }: EndedRecord): boolean => plan.byUser !== true;
