import { pick, type RunView, viewOf } from "../deliver/run-view.ts";
import { attemptsOf } from "../ledger/attempts.ts";
import { findChanges } from "../ledger/changes.ts";
import { waitingMessages } from "../ledger/inbox.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import type { Limits } from "../plan/plan.ts";
import type { Attempt } from "../run/attempt.ts";
import { changesInShort } from "../run/changes-in-short.ts";
import type { Redacted } from "../run/redacted.ts";
import { sandboxInWords } from "../run/sandbox-report.ts";
import { transcriptOf } from "./messages.ts";
import { type RunSources, type RunSummary, summarized } from "./runs.ts";

/** Everything that is known about one run. */
export interface RunInfo
	extends RunSummary,
		Pick<RunView, "answer" | "error" | "exitCode" | "warnings" | "attempt" | "maxAttempts" | "host" | "stop">,
		Pick<RunView, "agentFile" | "principal" | "deliveredAt"> {
	/** The known attempts: an older pi-geon recorded none. */
	attempts: Attempt[];
	/** The effective tools, as they were frozen when the run was planned. */
	tools: string[];
	thinking?: string;
	/** What confined the run, in words; known once it has finished. */
	sandbox?: string;
	/** What it changed in its tree, in words; known once it has finished. */
	changes?: string;
	/** The names of the skills that it can see. */
	skills?: string[];
	/** Set if the session began with a copy of the conversation that asked. */
	context?: "fork";
	/** `provider/id` of the models to continue with when the model cannot be used. */
	fallbackModels?: Redacted[];
	limits: Limits;
	cleanup: "keep" | "delete";
	archivedAt?: number;
	/** Where the transcript is; absent if there is none. */
	transcript?: Redacted;
	messagesWaiting: number;
}

export function infoOf(record: RunRecord, { ledger, redactor }: RunSources): RunInfo {
	const { plan, sessionId } = record;
	const view = viewOf(record, redactor);
	const sandbox = record.run.state === "ended" ? record.run.outcome.sandbox : undefined;
	const session = findSession(ledger, sessionId);
	const transcript = transcriptOf(session ?? plan.session);
	return {
		...summarized(view, { ledger }),
		...pick(view, ["answer", "error", "exitCode", "warnings", "attempt", "maxAttempts", "host", "stop"]),
		attempts: attemptsOf(ledger, record.run.id).map(({ model, ...attempt }) => ({
			...attempt,
			...(model !== undefined && { model: redactor.redact(model) }),
		})),
		tools: plan.tools,
		...(plan.thinking !== undefined && { thinking: plan.thinking }),
		...(sandbox && { sandbox: sandboxInWords(sandbox) }),
		...changesFact(record, ledger),
		...(plan.skills && { skills: plan.skills.map(({ name }) => name) }),
		...(plan.session.fork !== undefined && { context: "fork" as const }),
		...(plan.fallbackModels && {
			fallbackModels: plan.fallbackModels.map(({ provider, id }) => redactor.redact(`${provider}/${id}`)),
		}),
		limits: plan.limits,
		...pick(view, ["agentFile", "principal"]),
		cleanup: plan.afterwards.cleanup,
		...(session?.archivedAt !== undefined && { archivedAt: session.archivedAt }),
		...pick(view, ["deliveredAt"]),
		...(transcript !== undefined && { transcript: redactor.redact(transcript) }),
		messagesWaiting: view.state === "ended" ? 0 : waitingMessages(ledger, view.runId).length,
	};
}

/** Reads them from the ledger, which knows their current state. */
function changesFact({ run }: RunRecord, ledger: Ledger): Pick<RunInfo, "changes"> {
	if (run.state !== "ended") return {};
	const known = findChanges(ledger, run.id);
	if (known) return { changes: `${changesInShort(known)}, ${known.state}` };
	return run.outcome.changes ? { changes: changesInShort(run.outcome.changes) } : {};
}
