import { isHopPrevented } from "./check-hops.ts";
import { taskIn } from "./child-model.ts";
import type { Evidence, RunRow } from "./evidence.ts";

/** After these a process does nothing, for a while or forever. */
export const HALTING: ReadonlySet<string> = new Set(["kill", "torn", "suspend", "power cut"]);

/** How a run ends whose host found no room. The second is seen by its error, or by the disk while it is still full. */
export const CRASHES: ReadonlySet<string | undefined> = new Set(["runtime", "disk_full"]);

/** What may end a task, given how it was written and what happened to it. */
export function truthful(evidence: Evidence): string[] {
	const { runs, faults, diskWasFull, ledgerWasInTrouble } = evidence;
	const hostsKilled = faults.filter(({ role, kind }) => !role.startsWith("p") && HALTING.has(kind)).length;
	return runs.flatMap((run) => {
		const { outcome } = run;
		if (!outcome) return [];
		const endless = (taskIn(run.task)?.turns ?? 0) > 50;
		const reason = outcome.status === "success" ? "success" : (outcome.error.reason ?? outcome.status);
		const justified: Record<string, boolean> = {
			success: !endless,
			stopped: run.stopAt !== null,
			budget: run.maxTurns !== null && (endless || isUsedUp(run, evidence)),
			lost: run.attempt >= run.maxAttempts,
			// The host died twice before it was ready, or could not open the ledger.
			spawn: hostsKilled >= 2 || ledgerWasInTrouble === true,
			provider: isHopPrevented(run, evidence),
			runtime: diskWasFull === true,
			disk_full: diskWasFull === true,
			setup: isCutByDisk(run, evidence),
		};
		if (justified[reason]) return [];
		const message = outcome.status === "success" ? "" : outcome.error.message;
		return [
			`run ${run.id} ("${run.task}", attempt ${run.attempt} of ${run.maxAttempts}) ended as ${reason}: ${message}`,
		];
	});
}

/** A turn counts even if its host died before it recorded the answer: a short task can use up its budget by interruptions. */
export function isUsedUp({ task, maxTurns, attempt }: RunRow, { requests }: Pick<Evidence, "requests">): boolean {
	const name = taskIn(task)?.name;
	const asked = requests.filter((request) => request.task === name && Number.isFinite(request.endedAt)).length;
	return maxTurns !== null && attempt > maxTurns && asked >= maxTurns;
}

/**
 * pi keeps an entry that found no room in memory, and writes those after it. The next host refuses such a session, by
 * the name of the entry that follows the missing one.
 */
export function isCutByDisk({ outcome, sessionFile }: RunRow, { diskWasFull, transcripts }: Evidence): boolean {
	if (!diskWasFull || outcome?.cause !== "refused" || outcome.error.reason !== "setup") return false;
	const named = /is damaged, the entry before (\S+) is missing/.exec(outcome.error.message)?.[1];
	const entries = transcripts.find(({ file }) => file === sessionFile)?.entries ?? [];
	const after = entries.find(({ id }) => id === named);
	return after !== undefined && after.parentId !== null && entries.every(({ id }) => id !== after.parentId);
}
