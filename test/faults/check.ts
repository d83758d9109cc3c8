import { FINALIZE_TOOL } from "../../src/run/outcome.ts";
import { attemptsRecorded } from "./check-attempts.ts";
import { CRASHES, HALTING, isCutByDisk, truthful } from "./check-endings.ts";
import { hopsKept, isHopPrevented } from "./check-hops.ts";
import { questionsEnd, questionsShownOnce } from "./check-questions.ts";
import { taskIn } from "./child-model.ts";
import type { Entry, Evidence, RunRow, Transcript } from "./evidence.ts";

/** A promise that was not kept, and how one can tell. */
export interface Violation {
	promise: string;
	because: string;
}

/** All promises that were not kept. */
export function violations(evidence: Evidence): Violation[] {
	return Object.entries(PROMISES).flatMap(([promise, brokenBy]) =>
		brokenBy(evidence).map((because) => ({ promise, because })),
	);
}

/** Each looks at the evidence by itself, and answers with what contradicts it. */
export const PROMISES: Record<string, (evidence: Evidence) => string[]> = {
	"every run ends once": endsOnce,
	"a run is ended by the one that has it": endedByItsHolder,
	"every debt is paid once, where it is owed": paidOnce,
	"what is told is what is recorded": toldAsRecorded,
	"nothing is repeated without a reason": notRepeated,
	"what was accepted is on record": acceptedIsRecorded,
	"every attempt is on record": attemptsRecorded,
	"a model that was given up is not asked again": hopsKept,
	"no success without a finalize": finalized,
	"an ending says what happened": truthful,
	"no budget is exceeded by more than a turn": withinBudget,
	"the lane is never overfull": laneKept,
	"a session has one writer": oneWriter,
	"a stop is honoured": stopHonoured,
	"a message is taken once": messagesTaken,
	"a question ends once, and its child hears how": questionsEnd,
	"a question is put once": questionsShownOnce,
	"nothing is left behind": ({ troubles }) => troubles,
	"the ledger is intact": ({ damage }) => damage,
};

function endsOnce({ runs, moves }: Evidence): string[] {
	return runs.flatMap(({ id, state }) => {
		const endings = moves.filter(({ run, was, now }) => run === id && was !== "ended" && now === "ended").length;
		const revived = moves.some(({ run, was, now }) => run === id && was === "ended" && now !== "ended");
		return [
			...(state === "ended" && endings === 1 ? [] : [`run ${id} is ${state} and ended ${endings} times`]),
			...(revived ? [`run ${id} came back from its end`] : []),
		];
	});
}

/** What only a child's host can know must not come from one that had lost the run: it waits again, or is another's. */
function endedByItsHolder({ runs, moves }: Evidence): string[] {
	return runs.flatMap(({ id, outcome, attempt }) => {
		const reason = outcome?.status === "success" ? "success" : (outcome?.error.reason ?? "");
		if (!outcome || !["success", "budget", ...CRASHES].includes(reason)) return [];
		const fromQueue = moves.some(({ run, was, now }) => run === id && was === "queued" && now === "ended");
		return [
			...(fromQueue ? [`run ${id} ended as ${reason} while it waited for a host`] : []),
			...(outcome.attempts === attempt
				? []
				: [`run ${id} ended as ${reason} by its attempt ${outcome.attempts}, when ${attempt} had begun`]),
		];
	});
}

function paidOnce({ runs, moves, transcripts }: Evidence): string[] {
	return runs.flatMap((run) => {
		const told = transcripts.flatMap((transcript) =>
			transcript.entries.filter((entry) => tellsOf(entry, run.id)).map((entry) => ({ ...transcript, entry })),
		);
		// Each message has its reply: if one run took in several, that is one telling, given to each who asked.
		const replies = told.filter(({ entry }) => entry.message?.toolName === "sessions_send").length;
		const times = told.length - Math.max(0, replies - 1);
		const expected = run.delivery === "delivered" ? 1 : 0;
		const settled = moves.filter(
			(move) => move.run === run.id && move.debtWas === "owed" && move.debt !== "owed",
		).length;
		const silent = run.outcome?.status === "success" && run.outcome.finalized.result === "ANNOUNCE_SKIP";
		return [
			...(times === expected ? [] : [`run ${run.id} is ${run.delivery} and was told ${times} times`]),
			...told
				.filter(({ sessionId }) => sessionId !== run.parentSession)
				.map(({ file }) => `run ${run.id} was told in ${file}, which did not ask`),
			...(settled === 1 ? [] : [`the debt of run ${run.id} was settled ${settled} times`]),
			...(run.delivery === "skipped" && !silent ? [`run ${run.id} was skipped without having asked for it`] : []),
		];
	});
}

/** An announce, or the result of a tool that waited for it. A receipt names a run too, but tells nothing of it. */
function tellsOf({ customType, details, message }: Entry, id: string): boolean {
	if (customType === "pi-geon:announce") return details?.announceId === id;
	if (message?.role !== "toolResult" || message.details?.runId !== id) return false;
	if (message.toolName === "subagent") return true;
	return message.toolName === "sessions_send" && /^(ok|error)$/.test(message.details.status ?? "");
}

/** The result of a call says how the run ended, in the ledger's words. */
function toldAsRecorded({ runs, transcripts }: Evidence): string[] {
	const results = transcripts.flatMap(({ entries }) => entries).flatMap(({ message }) => message?.details ?? []);
	return results.flatMap(({ runId, results: told }) => {
		const outcome = runs.find(({ id }) => id === runId)?.outcome;
		const exitCode = told?.[0]?.exitCode;
		if (exitCode === undefined || exitCode === outcome?.exitCode) return [];
		return [`run ${runId} was told with exit code ${exitCode}, and is recorded with ${outcome?.exitCode}`];
	});
}

/** A run that nothing befell is claimed once. */
function notRepeated({ runs, faults, wasInTrouble }: Evidence): string[] {
	if (faults.length > 0 || wasInTrouble) return [];
	return runs
		.filter(({ attempt, hops }) => attempt - hops.length > 1)
		.map(({ id, attempt, hops }) => `run ${id} was claimed ${attempt - hops.length} times`);
}

function acceptedIsRecorded({ runs, transcripts }: Evidence): string[] {
	const known = new Set<unknown>(runs.map(({ id }) => id));
	return transcripts
		.flatMap(({ entries }) => entries)
		.flatMap(({ message, details }) => [message?.details?.runId, details?.announceId])
		.filter((id) => id !== undefined && !known.has(id))
		.map((id) => `a transcript names run ${id}, of which the ledger knows nothing`);
}

function finalized({ runs, transcripts }: Evidence): string[] {
	return runs.flatMap((run) => {
		if (run.outcome?.status !== "success") return [];
		const { result } = run.outcome.finalized;
		const said = entriesOf(run, transcripts).some((entry) =>
			callsIn(entry).some(({ name, arguments: args }) => name === FINALIZE_TOOL && args?.result === result),
		);
		return said ? [] : [`run ${run.id} succeeded with "${result}", which its child never finalized`];
	});
}

function withinBudget({ runs, transcripts }: Evidence): string[] {
	return runs.flatMap((run) => {
		if (run.maxTurns === null) return [];
		const turns = entriesOf(run, transcripts).filter(isTurn).length;
		return turns <= run.maxTurns + 1 ? [] : [`run ${run.id} took ${turns} turns of ${run.maxTurns}`];
	});
}

/** A request that was broken off before the model said anything is none. */
const isTurn = ({ message }: Entry): boolean =>
	message?.role === "assistant" &&
	(!/^(aborted|error)$/.test(message.stopReason ?? "") || (message.content?.length ?? 0) > 0);

function laneKept({ laneLimit, moves, requests, faults, lagMs }: Evidence): string[] {
	const inLedger = moves
		.filter(({ now, was, atWork }) => now === "running" && was !== "running" && atWork > laneLimit)
		.map(({ run, atWork }) => `run ${run} was claimed as the ${atWork}. of at most ${laneLimit}`);
	const atModel = mostAtOnce(requests.map((request) => counted(request, faults, lagMs)));
	return atModel > laneLimit ? [...inLedger, `${atModel} children asked the model at once, of ${laneLimit}`] : inLedger;
}

/**
 * A killed process asks no more, whenever its connection is found broken. One that is suspended may have lost its run. And
 * any end may have been noticed late, when the next request had come already.
 */
function counted(
	{ pid, startedAt, endedAt }: Evidence["requests"][number],
	faults: Evidence["faults"],
	lagMs: number,
): { from: number; to: number } {
	const halted = faults.filter((fault) => fault.pid === pid && HALTING.has(fault.kind) && fault.at >= startedAt);
	return { from: startedAt, to: Math.max(startedAt, Math.min(endedAt - lagMs, ...halted.map(({ at }) => at))) };
}

function mostAtOnce(spans: { from: number; to: number }[]): number {
	const edges = spans.flatMap(({ from, to }) => [
		{ at: from, change: 1 },
		{ at: to, change: -1 },
	]);
	edges.sort((a, b) => a.at - b.at || a.change - b.change);
	let open = 0;
	return edges.reduce((most, { change }) => {
		open += change;
		return Math.max(most, open);
	}, 0);
}

function oneWriter(evidence: Evidence): string[] {
	const { moves, transcripts } = evidence;
	const forked = evidence.diskWasFull ? [] : transcripts.flatMap(forks);
	return [...overlappingRuns(moves), ...returningWriters(evidence), ...forked];
}

/** Two runs of one session must not be running at the same time. */
function overlappingRuns(moves: Evidence["moves"]): string[] {
	const atWork = new Map<string, string>();
	return moves.flatMap(({ run, session, now }) => {
		const other = atWork.get(session);
		if (now === "running") atWork.set(session, run);
		else if (other === run) atWork.delete(session);
		return now === "running" && other !== undefined && other !== run
			? [`runs ${other} and ${run} were at work in session ${session} at once`]
			: [];
	});
}

/**
 * Once another process has written into a session file, those before it must have let go of it, until they have claimed a
 * run of that session again: two hosts may live at once, if one was suspended for longer than its lease.
 */
function returningWriters({ appends, moves, runs }: Evidence): string[] {
	const writers = new Map<string, Evidence["appends"]>();
	return appends.flatMap((append) => {
		const { file, pid, entry, at } = append;
		const before = writers.get(file) ?? [];
		const other = before.at(-1);
		writers.set(file, [...before, append]);
		if (other === undefined || other.pid === pid || before.every((one) => one.pid !== pid)) return [];
		const session = runs.find(({ sessionFile }) => sessionFile === file)?.sessionId;
		const claimed = moves.some(
			(move) =>
				move.session === session && move.now === "running" && move.pid === pid && move.at >= other.at && move.at <= at,
		);
		return claimed ? [] : [`process ${pid} wrote ${entry} into ${file} after ${other.pid} had taken over`];
	});
}

/** A session is one conversation: each entry follows the one before it. */
function forks({ file, entries }: Transcript): string[] {
	return entries.flatMap((entry, index) => {
		const before = entries[index - 1]?.id ?? null;
		return entry.parentId === before ? [] : [`in ${file}, ${entry.id} follows ${entry.parentId}, not ${before}`];
	});
}

function stopHonoured(evidence: Evidence): string[] {
	const { runs, moves, diskWasFull } = evidence;
	return runs.flatMap((run) => {
		const again = moves.some(
			({ run: id, now, was, stop }) => id === run.id && was !== "running" && now === "running" && stop !== null,
		);
		const endless = (taskIn(run.task)?.turns ?? 0) > 50 && run.maxTurns === null;
		const reason = run.outcome?.status === "success" ? "success" : run.outcome?.error.reason;
		const byLedger = reason === "provider" && isHopPrevented(run, evidence);
		const byDisk = (diskWasFull && CRASHES.has(reason)) || isCutByDisk(run, evidence);
		return [
			...(again ? [`run ${run.id} was claimed although a stop had been asked for`] : []),
			...(run.stopAt !== null && endless && reason !== "stopped" && !byDisk && !byLedger
				? [`run ${run.id} could only end by its stop, and ended as ${reason}`]
				: []),
		];
	});
}

function messagesTaken({ messages, runs, transcripts }: Evidence): string[] {
	return messages.flatMap(({ seq, runId, body, takenAt }) => {
		const run = runs.find(({ id }) => id === runId);
		if (!run) return [`message ${seq} belongs to run ${runId}, which is not there`];
		// What its run no longer took in is the task of the one that followed, from the moment on at which that was admitted.
		const asTask = run.createdAt === takenAt && run.task.split("\n\n").includes(body) ? 1 : 0;
		const failed = (id: unknown) => runs.some((one) => one.id === id && one.outcome?.status !== "success");
		const held = transcripts
			.filter(({ file }) => file === run.sessionFile)
			.flatMap(({ entries }) => entries)
			.filter((entry) => entry.customType === "pi-geon:message" && entry.details?.seq === seq)
			// A run that died with it, and whose next attempt could not read its session, has not taken it in.
			.filter(({ details }) => !(asTask === 1 && details?.runId !== run.id && failed(details?.runId))).length;
		const times = held + asTask;
		const reason = run.outcome?.status === "success" ? "success" : (run.outcome?.error.reason ?? "");
		const isReported = run.outcome?.warnings.some((warning) => warning.includes(body)) === true;
		const mayBeDropped = takenAt === null && ["stopped", "setup", "spawn"].includes(reason) && isReported;
		return times === 1 || (times === 0 && mayBeDropped)
			? []
			: [`message ${seq} to run ${runId} (${reason}) was taken ${times} times`];
	});
}

/** What stands in a child's transcript between the mark of a run and that of the next. */
function entriesOf(run: RunRow, transcripts: Transcript[]): Entry[] {
	const entries = transcripts.find(({ file }) => file === run.sessionFile)?.entries ?? [];
	const isMark = (entry: Entry) => entry.customType === "pi-geon:task";
	const from = entries.findIndex((entry) => isMark(entry) && entry.data?.runId === run.id);
	if (from === -1) return [];
	const length = entries.slice(from + 1).findIndex((entry) => isMark(entry) && entry.data?.runId !== run.id);
	return length === -1 ? entries.slice(from) : entries.slice(from, from + 1 + length);
}

function callsIn({ message }: Entry): { name?: string; arguments?: Record<string, unknown> }[] {
	return Array.isArray(message?.content) ? message.content.filter(({ type }) => type === "toolCall") : [];
}
