import { useRef } from "preact/hooks";
import type { OpenQuestion } from "../../api/actions.ts";
import type { RunDetail } from "../../api/runs.ts";
import { Foreign, ForeignBlock } from "../parts/foreign.tsx";
import { answerQuestion, doing } from "./actions.tsx";

/** A question whose answer a child waits for. The text is the child's, and is marked as such. */
export function QuestionBox({ run, question }: { run: RunDetail; question: OpenQuestion }) {
	const { questionId, title, message } = question;
	const answer = (given: string | boolean | number | null) => answerQuestion(run, questionId, given);
	return (
		<section class="question" aria-label="Question from the subagent">
			<p class="question-who">
				<span class="badge tone-asking">? asking</span> <Foreign text={run.agent} /> waits for your answer
			</p>
			<p class="question-title">
				<Foreign text={title} />
			</p>
			{message !== undefined && message !== "" && <ForeignBlock text={message} />}
			<Answers question={question} answer={answer} />
		</section>
	);
}

interface AnswersProps {
	question: OpenQuestion;
	answer(given: string | boolean | number | null): void;
}

function Answers({ question, answer }: AnswersProps) {
	const isBusy = doing.value !== undefined;
	const decline = (
		<button type="button" class="quiet" disabled={isBusy} onClick={() => answer(null)}>
			Decline
		</button>
	);
	if (question.kind === "confirm") {
		return (
			<div class="answers">
				<button type="button" class="solid" disabled={isBusy} onClick={() => answer(true)}>
					Yes
				</button>
				<button type="button" disabled={isBusy} onClick={() => answer(false)}>
					No
				</button>
				{decline}
			</div>
		);
	}
	if (question.kind === "select") {
		return (
			<div class="answers">
				{(question.options ?? []).map((option, index) => (
					<button type="button" disabled={isBusy} onClick={() => answer(index)}>
						<Foreign text={option} />
					</button>
				))}
				{decline}
			</div>
		);
	}
	return <InputAnswer question={question} answer={answer} decline={decline} />;
}

function InputAnswer({ question, answer, decline }: AnswersProps & { decline: preact.ComponentChildren }) {
	const field = useRef<HTMLInputElement>(null);
	return (
		<form
			class="answers"
			onSubmit={(event) => {
				event.preventDefault();
				answer(field.current?.value ?? "");
			}}
		>
			<input ref={field} type="text" aria-label="Your answer" placeholder={question.placeholder ?? "Your answer"} />
			<button type="submit" class="solid" disabled={doing.value !== undefined}>
				Answer
			</button>
			{decline}
		</form>
	);
}
