import { expect, test } from "vitest";
import { decideQuestions, type QuestionAction } from "../../src/supervise/decide-questions.ts";

const ours = (...seqs: number[]) => seqs.map((seq) => ({ seq, isOurs: true }));
const theirs = (...seqs: number[]) => seqs.map((seq) => ({ seq, isOurs: false }));

test.each<[what: string, shown: number[], open: ReturnType<typeof ours>, actions: QuestionAction[]]>([
	["nothing is open", [], [], []],
	["new ones are shown, oldest first", [], ours(1, 2), [show(1), show(2)]],
	["what is shown is not shown again", [1], ours(1, 2), [show(2)]],
	["what another process shows is not shown", [], theirs(1), []],
	["what has ended is closed", [1, 2], ours(2), [close(1)]],
	["what another process has taken over is closed", [1], theirs(1), [close(1)]],
])("%s", (_what, shown, open, actions) => {
	expect(decideQuestions(new Set(shown), open)).toEqual(actions);
});

function show(seq: number): QuestionAction {
	return { do: "show", seq };
}

function close(seq: number): QuestionAction {
	return { do: "close", seq };
}
