import { ASK_TOOL } from "../../src/run/question.ts";
import { questionIn, taskIn } from "./child-model.ts";
import type { Entry, Evidence, QuestionRow, RunRow } from "./evidence.ts";

/** A question ends once; its answer is the user's, and reaches the child. */
export function questionsEnd(evidence: Evidence): string[] {
	const { questions, runs, transcripts } = evidence;
	return questions.flatMap((question) => {
		const { seq, state, ends, runId } = question;
		const run = runs.find(({ id }) => id === runId);
		if (!run) return [`question ${seq} belongs to run ${runId}, which is not there`];
		const entries = transcripts.find(({ file }) => file === run.sessionFile)?.entries ?? [];
		const told = entries.flatMap((entry) => (endHeld(entry, question) ? [entry.message?.details] : []));
		const wasHeard = run.outcome?.status === "success";
		return [
			...(state !== "open" && ends.length === 1 ? [] : [`question ${seq} is ${state} and ended ${ends.length} times`]),
			...(wasHeard && told.length !== 1 ? [`the end of question ${seq} reached its child ${told.length} times`] : []),
			...told
				.filter((details) => details?.answered !== (state === "answered") || details.answer !== given(question))
				.map((details) => `question ${seq} is ${state}, and its child was told ${JSON.stringify(details)}`),
			...wrongEnd(question, run, evidence),
		];
	});
}

/** Each question is one row, whatever dies, and is before the user once at a time, and never again once it has finished. */
export function questionsShownOnce({ questions, shown = [] }: Evidence): string[] {
	const rows = Map.groupBy(questions, ({ runId, question }) => `${runId} ${question}`);
	const again = [...rows.values()].filter(({ length }) => length > 1);
	return [
		...again.map((same) => `run ${same[0]?.runId} asked the same in ${same.length} rows`),
		...questions.flatMap(({ seq, ends }) => {
			const times = shown.filter((one) => one.seq === seq);
			const byProcess = Map.groupBy(times, ({ pid }) => pid);
			const late = times.filter(({ at }) => ends.some((end) => at > end));
			return [
				...[...byProcess].flatMap(([pid, { length }]) =>
					length > 1 ? [`question ${seq} was shown ${length} times by process ${pid}`] : [],
				),
				...late.map(({ at }) => `question ${seq} was shown at ${at}, when it had ended`),
			];
		}),
	];
}

/** Where nothing went wrong, the user was there: the end is what the user said, or that of a run that was stopped. */
function wrongEnd({ seq, state, declined, question }: QuestionRow, run: RunRow, evidence: Evidence): string[] {
	const asked = questionIn(question);
	if (state === "answered" && (asked === undefined || asked.declines))
		return [`question ${seq} was answered, and the user meant to decline`];
	const isCalm = evidence.faults.length === 0 && !evidence.wasInTrouble;
	if (!isCalm || state === "answered") return [];
	const mayEnd = declined === "ended" && (run.stopAt !== null || taskIn(run.task)?.stopAfterMs !== undefined);
	const isWished = declined === "user" && asked?.declines;
	return mayEnd || isWished
		? []
		: [`question ${seq} was declined (${declined}), with a user there who meant to answer`];
}

const given = ({ state, question }: QuestionRow): string | undefined =>
	state === "answered" ? questionIn(question)?.answer : undefined;

function endHeld({ message }: Entry, { seq, runId }: QuestionRow): boolean {
	return message?.toolName === ASK_TOOL && message.details?.seq === seq && message.details.runId === runId;
}
