import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { admitInTransaction } from "../../ledger/admit.ts";
import { sendToRun } from "../../ledger/inbox.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { newSession } from "../../plan/session-place.ts";
import type { Usage } from "../../run/usage.ts";
import type { RunOrder } from "../job.ts";
import { renamedLine } from "../lines.ts";
import type { HeldJob } from "../queue.ts";
import type { AssignmentSetup } from "./assignment.ts";
import { guestPlan } from "./guest-plan.ts";
import { Relay } from "./relay.ts";

/** The database's record of a job. */
export interface KnownOfJob {
	/** The session file so far. */
	lines: string[];
	/** Usage on all earlier workers. */
	usage: Usage;
	/** Since the first claim. */
	elapsedMs: number;
	/** The repository, as the requester sent it. */
	bundle: Buffer | undefined;
}

interface GuestAdmission {
	job: HeldJob;
	order: RunOrder;
	known: KnownOfJob;
	setup: AssignmentSetup;
	/** Aborted when the job is lost, so that nothing is admitted any more. */
	signal: AbortSignal;
}

/** Admits the run on this machine: makes its checkout, its session file so far, and a row in the ledger. */
export async function admitGuest(admission: GuestAdmission): Promise<{ record: RunRecord; relay: Relay } | undefined> {
	const { job, order, known, setup, signal } = admission;
	const { settings, ledger, root, sessionsRoot, worker, laneLimit, supervisor, clock } = setup;
	const top = await setup.checkout({
		root,
		repository: order.repository,
		bundle: known.bundle,
		session: order.plan.session.id,
		job: job.id,
		setup: settings.setup,
		signal,
	});
	if (signal.aborted) return undefined;
	const cwd = join(top, order.repository.prefix);
	const session = {
		...newSession({ root: sessionsRoot, cwd, agent: order.plan.agent }),
		resumed: known.lines.length > 0,
	};
	const plan = guestPlan({ order, cwd, session, config: setup.config(), elapsedMs: known.elapsedMs });
	const there = { sessionId: order.plan.session.id, cwd: order.plan.cwd, runId: order.runId };
	// Write the lines before the transaction commits: a running host claims the run as soon as it sees it.
	const { record, here } = ledger.transaction("full", () => {
		const admitted = admitInTransaction(ledger, {
			plan,
			mode: "background",
			parentSession: `pool:${worker}:${job.id}`,
			...(order.label !== undefined && { label: order.label }),
			profile: setup.profile(plan),
			laneLimit,
			at: clock.now(),
			usage: known.usage,
		});
		const names = { sessionId: session.id, cwd, runId: admitted.run.id };
		writeLines(
			session.file,
			known.lines.map((line) => renamedLine(line, { from: there, to: names, seq: () => 0 })),
		);
		return { record: admitted, here: names };
	});
	if (plan.tree && job.retryCount > 0 && known.lines.length > 0) {
		sendToRun(ledger, record.run.id, { body: FRESH_COPY, at: clock.now() });
	}
	const relay = new Relay({
		...setup,
		job,
		runId: record.run.id,
		file: session.file,
		known: known.lines.length,
		names: { here, there },
		onNews: () => {
			supervisor.hint();
			supervisor.wake();
		},
	});
	return { record, relay };
}

const FRESH_COPY =
	"You continue on another machine. Your copy of the checkout is as it was when the task was given: " +
	"what you changed so far is not in it. Make those changes again as far as they are needed.";

function writeLines(file: string, lines: readonly string[]): void {
	if (lines.length === 0) return;
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
}
