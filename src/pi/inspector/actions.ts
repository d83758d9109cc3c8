import { copyToClipboard, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import type { Services } from "../../delegate.ts";
import { findChanges } from "../../ledger/changes.ts";
import { placesIn } from "../../ledger/places.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { findSession } from "../../ledger/sessions.ts";
import { applyChanges, undoChanges } from "../../operate/apply.ts";
import { diffOf } from "../../operate/changes.ts";
import { isDenial } from "../../operate/denial.ts";
import { transcriptOf } from "../../operate/messages.ts";
import { changeDoneReport, diffReport } from "../../operate/report/changes.ts";
import { sendToSession } from "../../operate/send.ts";
import { stopRun, userStops } from "../../operate/stop.ts";
import type { ChangesState } from "../../run/changes.ts";
import { shellWord } from "../../sandbox/quote.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { parentFacts } from "../parent-facts.ts";
import { parentRedactor } from "../parent-log.ts";
import { routeOf } from "../route.ts";

/** More than a user scrolls through here. */
const DIFF_LINES_SHOWN = 5000;

interface ActionsSetup extends Omit<DelegationSetup, "services"> {
	session: ExtensionContext;
	available: Services;
	/** Whether pi can switch to another session from here. */
	canOpen: boolean;
}

/** The result for the user in one line, and what to show next, if anything. */
export interface Done {
	notice: string;
	/** The run that has received the message, if it is another one. */
	select?: string;
	/** The session whose copy to open. */
	open?: SessionToOpen;
}

export interface SessionToOpen {
	file: string;
	cwd: string;
}

/** What a user can do with the selected run. */
export interface RunActions {
	message(record: RunRecord, text: string): Promise<Done>;
	stop(record: RunRecord): Done;
	copy(record: RunRecord): Promise<Done>;
	open(record: RunRecord): Promise<Done>;
	/** The state of the run's changes; undefined if there are none. */
	changesState(record: RunRecord): ChangesState | undefined;
	/** The lines of the patch, without anything that could paint on the terminal. */
	diff(record: RunRecord): Promise<string[]>;
	apply(record: RunRecord, how: { undo: boolean }): Promise<Done>;
}

export function runActions({ pi, session, available, canOpen, decisions, onSpawned }: ActionsSetup): RunActions {
	const { ledger, supervisor } = available;
	const changeSources = () => ({ ledger, redactor: parentRedactor(), places: placesIn(getAgentDir()) });
	return {
		changesState: ({ run }) => findChanges(ledger, run.id)?.state,
		async diff(record) {
			const found = await diffOf(record, changeSources());
			if (isDenial(found)) throw new Error(found.error);
			return diffReport(found, DIFF_LINES_SHOWN);
		},
		async apply(record, { undo }) {
			const request = { ...changeSources(), by: "the user, in the inspector" };
			const answer = await (undo ? undoChanges : applyChanges)(record, request);
			if (isDenial(answer)) return { notice: `Nothing was done: ${inOneLine(request.redactor.redact(answer.error))}` };
			return { notice: changeDoneReport(answer).join(" ") };
		},
		async message(record, text) {
			let resumed = false;
			const { answer } = await sendToSession(
				{
					run: record,
					message: text,
					sender: "user",
					parentSession: session.sessionManager.getSessionId(),
					withinMs: 0,
					route: routeOf(session),
				},
				parentFacts(pi, session, decisions),
				available,
				{
					onWaiting() {},
					onLeft() {},
					onSpawned: (next) => {
						resumed = true;
						onSpawned(session, next);
					},
				},
			);
			if (isDenial(answer)) return { notice: `Not sent: ${inOneLine(answer.error)}` };
			const select = answer.runId === record.run.id ? {} : { select: answer.runId };
			if (!resumed) return { notice: "Sent. It arrives after the current step.", ...select };
			return { notice: `Resumed as run ${answer.runId}.`, ...select };
		},
		stop(record) {
			const { was } = stopRun(ledger, record, userStops());
			supervisor.wake();
			return { notice: was === "ended" ? "It has finished already." : "Asked to stop." };
		},
		async copy({ run, partial }) {
			const answer = run.state === "ended" ? run.outcome.output : partial;
			if (answer === undefined || answer === "") return { notice: "There is no answer to copy yet." };
			await copyToClipboard(answer);
			return { notice: run.state === "ended" ? "Answer copied." : "Copied what it last said." };
		},
		async open({ run, plan, sessionId }) {
			if (run.state !== "ended")
				return { notice: "It is still running: its session can be opened when it has finished." };
			const file = transcriptOf(findSession(ledger, sessionId) ?? plan.session);
			if (file === undefined) return { notice: "It has no session file." };
			if (canOpen) return { notice: "", open: { file, cwd: plan.cwd } };
			// pi files the copy under the directory it is started in.
			await copyToClipboard(`cd ${shellWord(plan.cwd)} && pi --fork ${shellWord(file)}`);
			return { notice: "Copied: cd … && pi --fork … (or open the inspector with /subagents)." };
		},
	};
}
