import { viewOf } from "../../deliver/run-view.ts";
import { attemptsOf } from "../../ledger/attempts.ts";
import { changeEvents, findChanges } from "../../ledger/changes.ts";
import { openQuestionsOfRun } from "../../ledger/open-questions.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { runsOfSession } from "../../ledger/run-search.ts";
import { findSession } from "../../ledger/sessions.ts";
import { findTree } from "../../ledger/trees.ts";
import { usualBranch } from "../../operate/branch-and-discard.ts";
import { infoOf } from "../../operate/info.ts";
import { areAttemptsKnown } from "../../operate/run-spans.ts";
import type { RunSources } from "../../operate/runs.ts";
import type { Question } from "../../processes/protocol.ts";
import type { ChangesState } from "../../run/changes.ts";
import { hopInWords } from "../../run/hop.ts";
import type { OpenQuestion } from "../api/actions.ts";
import type { ACTION_ROUTES } from "../api/routes.ts";
import type { ChangesInDetail, RunDetail } from "../api/runs.ts";
import { pageRunOf } from "./rows.ts";

const MOST_OF_SESSION = 100;

/**
 * Everything that is known about one run. `asks`: the dialogs that its host has open, if a page observes the host.
 */
export function detailOf(
	record: RunRecord,
	sources: RunSources,
	asks: ReadonlyMap<number, Question> = new Map(),
): RunDetail {
	const { ledger, redactor } = sources;
	const { run, plan, seq } = record;
	const info = infoOf(record, sources);
	const attempts = attemptsOf(ledger, run.id);
	const changes = changesInDetail(record, sources);
	const questions = [...childQuestions(record, sources), ...dialogQuestions(asks)];
	const sandbox = run.state === "ended" ? run.outcome.sandbox : undefined;
	return {
		...info,
		seq,
		spans: pageRunOf(record, sources).spans,
		wholeTask: redactor.redact(plan.task),
		attemptsKnown: areAttemptsKnown(run, attempts),
		hops: (run.hops ?? []).map((hop) => redactor.redactValue({ from: hop.from, to: hop.to, words: hopInWords(hop) })),
		...(sandbox && { sandboxReport: sandbox }),
		questions,
		...(changes && { changesView: changes }),
		...(!changes && changesProblem(record, sources)),
		session: runsOfSession(ledger, record.sessionId, MOST_OF_SESSION)
			.filter((id) => id !== run.id)
			.flatMap((id) => findRun(ledger, id) ?? [])
			.map((other) => {
				const { runId, phase, status, createdAt } = viewOf(other, redactor);
				return { runId, phase, status, createdAt };
			}),
		can: whatCanBeDone(record, { questions: questions.length, changes: changes?.state, sources }),
		hasTranscript: info.transcript !== undefined,
	};
}

/** The questions of a child, which are in the ledger. */
export function childQuestions(
	{ run }: Pick<RunRecord, "run">,
	{ ledger }: Pick<RunSources, "ledger">,
): OpenQuestion[] {
	if (run.state === "ended") return [];
	return openQuestionsOfRun(ledger, run.id).map(({ seq, question: { question, options } }) => ({
		questionId: `child-${seq}`,
		kind: options ? "select" : "input",
		title: question,
		...(options && { options }),
	}));
}

/** The dialogs of a child's extensions, which only its host knows. */
export const dialogQuestions = (asks: ReadonlyMap<number, Question>): OpenQuestion[] =>
	[...asks].map(([askId, question]) => ({ questionId: `dialog-${askId}`, ...question }));

/** The question with this id. */
export function questionNamed(questionId: string): { of: "child" | "dialog"; number: number } | undefined {
	const [, of, number] = /^(child|dialog)-(\d{1,12})$/.exec(questionId) ?? [];
	return of === undefined ? undefined : { of: of as "child" | "dialog", number: Number(number) };
}

function changesInDetail(record: RunRecord, { ledger, redactor }: RunSources): ChangesInDetail | undefined {
	const { run } = record;
	const found = findChanges(ledger, run.id);
	if (!found) return undefined;
	const { state, files, total, branch, warnings } = found;
	return redactor.redactValue({
		state,
		files,
		total,
		...(branch !== undefined && { branch }),
		usualBranch: usualBranch(record),
		warnings,
		events: changeEvents(ledger, run.id),
	});
}

/** Says why a tree's changes are not home yet. Viewing the changes brings them home, but viewing the run does not. */
function changesProblem({ run }: RunRecord, { ledger, redactor }: RunSources): Pick<RunDetail, "changesProblem"> {
	const tree = run.state === "ended" ? findTree(ledger, run.id) : undefined;
	if (tree?.state !== "ready") return {};
	const why = tree.problem ?? "They were not brought home when the run ended.";
	return { changesProblem: redactor.redact(`${why} They are in ${tree.folder}`) };
}

function whatCanBeDone(
	{ run, sessionId }: RunRecord,
	{ questions, changes, sources }: { questions: number; changes: ChangesState | undefined; sources: RunSources },
): Record<keyof typeof ACTION_ROUTES, boolean> {
	const is = (...states: ChangesState[]): boolean => changes !== undefined && states.includes(changes);
	return {
		stop: run.state !== "ended" && run.stop === undefined,
		send: run.stop === undefined && findSession(sources.ledger, sessionId)?.archivedAt === undefined,
		answer: questions > 0,
		apply: is("pending", "branched", "applying", "undoing"),
		undo: is("applied", "applying", "undoing"),
		branch: is("pending", "branched", "applied", "superseded"),
		discard: is("pending", "branched", "superseded"),
	};
}
