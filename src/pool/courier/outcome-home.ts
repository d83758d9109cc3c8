import { reportedChanges } from "../../child/tree.ts";
import type { ClaimedRun, WorkServices } from "../../child/work.ts";
import { outcomeOf, outcomeWithoutHost, type RunEvidence } from "../../collect/outcome.ts";
import { LedgerTrouble } from "../../ledger/trouble.ts";
import type { Changes } from "../../run/changes.ts";
import { parsedLine } from "../../run/json-line.ts";
import { messageOf } from "../../run/message-of.ts";
import type { EndCause, Outcome } from "../../run/outcome.ts";
import { readOutcome } from "../../run/stored-outcome.ts";
import { readOrder } from "../job.ts";
import type { CourierQueue } from "../queue.ts";
import { bringChangesHome } from "../repository/home.ts";
import type { CourierSetup } from "./run-away.ts";

interface HomeFacts {
	queue: CourierQueue;
	job: string;
	record: ClaimedRun;
	services: WorkServices;
	setup: CourierSetup;
	/** How often another worker took it over. */
	takeovers: number;
	/** The shared budget because of which this machine stopped it. */
	budget: string | undefined;
}

/** The worker's outcome, with its changes brought home and everything redacted again, with the secrets known here. */
export async function broughtHome(facts: HomeFacts): Promise<{ outcome: Outcome; settled: boolean }> {
	const { queue, job, record, services, takeovers, budget } = facts;
	const row = await queue.outcome(job);
	const read = row && readOutcome(parsedLine(row.body));
	if (!row || !read || read === "newer") {
		const message = "The outcome that its worker wrote cannot be read: use the same pi-geon on both ends.";
		const outcome = outcomeWithoutHost(record, { kind: "crashed", message }, services.redactor.redact);
		return { outcome, settled: true };
	}
	const { changes, ...told } = withBudget(read, budget);
	const taken =
		takeovers === 0
			? []
			: [
					`Taken over by ${row.worker}: ${takeovers === 1 ? "a worker" : `${takeovers} workers`} died or lost the connection.`,
				];
	const attempts = told.attempts + takeovers;
	const outcome: Outcome<string> = { ...told, attempts, warnings: [...told.warnings, ...taken] };
	const home = changes?.commit ? await changesFromWorker(facts, changes.base.commit) : undefined;
	if (home && "problem" in home) {
		const failed = changesNotHome(outcome, {
			problem: home.problem,
			where: `the database of pool ${facts.setup.pool}`,
		});
		return { outcome: await services.redactor.redactInSlices(failed), settled: true };
	}
	const redacted = await services.redactor.redactInSlices(outcome);
	const reported = changes && reportedChanges(home, { base: changes.base, runId: record.run.id, ...services });
	return { outcome: { ...redacted, ...(reported && { changes: reported }) }, settled: true };
}

/** A run whose changes were not brought home has failed, whatever its child said. */
function changesNotHome(
	outcome: Outcome<string>,
	{ problem, where }: { problem: string; where: string },
): Outcome<string> {
	const cause: EndCause =
		outcome.status === "success"
			? { kind: "not_harvested", problem, tree: where, result: outcome.output }
			: { kind: "crashed", message: `${outcome.error.message} What it changed could not be brought home: ${problem}` };
	return outcomeOf(cause, evidenceOf(outcome));
}

/** Gives a run that this machine stopped because of a budget that cause. */
function withBudget(outcome: Outcome<string>, budget: string | undefined): Outcome<string> {
	if (budget === undefined || outcome.cause !== "stopped") return outcome;
	const { changes } = outcome;
	const made = outcomeOf({ kind: "budget", limit: budget }, evidenceOf(outcome));
	return { ...made, ...(changes && { changes }) };
}

/** What is known about a run whose cause is another one here. */
function evidenceOf(outcome: Outcome<string>): RunEvidence {
	const { usage, displayItems, attempts, warnings, model, context, output, sandbox } = outcome;
	return {
		...{ usage, displayItems, attempts, warnings },
		...(model !== undefined && { model }),
		...(context && { context }),
		...(output !== undefined && { partialOutput: output }),
		...(outcome.status !== "success" && outcome.lastEvent !== undefined && { lastEvent: outcome.lastEvent }),
		...(sandbox && { sandbox }),
	};
}

/** Returns problems of the changes. Throws problems of the database or the ledger, which may pass. */
async function changesFromWorker(
	{ queue, job, record, setup }: HomeFacts,
	began: string,
): Promise<Changes | { problem: string }> {
	const { plan, run } = record;
	const stored = await queue.order(job);
	const order = stored === undefined ? undefined : readOrder(stored);
	const { out, home } = await queue.bundles(job);
	if (!order || typeof order === "string" || order.kind !== "run" || !home || !plan.tree) {
		return { problem: "The database does not have them any more." };
	}
	try {
		return await bringChangesHome({
			...setup,
			runId: run.id,
			cwd: plan.cwd,
			repository: order.repository,
			out,
			home,
			began,
			maxBytes: plan.tree.maxBytes,
		});
	} catch (error) {
		if (error instanceof LedgerTrouble) throw error;
		return { problem: `${messageOf(error)}.` };
	}
}
