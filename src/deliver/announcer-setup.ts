import type { Redactor } from "../collect/redact/redactor.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import type { Conversation } from "../ports/conversation.ts";
import type { Ports } from "../ports/ports.ts";
import type { AskUser } from "../supervise/ask.ts";
import type { LiveRuns } from "../supervise/live-runs.ts";
import type { QuestionDialogs } from "../supervise/question-dialogs.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import type { RunEvents } from "./run-events.ts";

/** The services that delivering to a session needs. */
export interface DeliveryServices {
	ledger: Ledger;
	supervisor: Supervisor;
	redactor: Redactor;
}

export interface AnnouncerSetup<Talk extends Conversation> {
	ports: Ports;
	log: Log;
	/** Tells other extensions and the screen about the runs. */
	events: RunEvents;
	live: LiveRuns;
	/** Whether a ledger can exist at all. */
	wasEverUsed(): boolean;
	/** Opens the services for one piece of work. */
	use<Result>(talk: Talk, work: (services: DeliveryServices) => Promise<Result>): Promise<Result>;
	askUser(talk: Talk, services: DeliveryServices): AskUser;
	/** Loads the dialogs, which most sessions never need. */
	openQuestionDialogs(talk: Talk, services: DeliveryServices): Promise<QuestionDialogs>;
}
