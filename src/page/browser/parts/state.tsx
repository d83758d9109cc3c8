import { MARKS, type StateFacts, stateWord, toneOf } from "./words.ts";

export function StateMark({ run }: { run: StateFacts }) {
	const tone = toneOf(run);
	return (
		<span class={`mark tone-${tone}`} aria-hidden="true">
			{MARKS[tone]}
		</span>
	);
}

export function StateBadge({ run }: { run: StateFacts }) {
	return (
		<span class={`badge tone-${toneOf(run)}`}>
			<StateMark run={run} />
			{stateWord(run)}
		</span>
	);
}
