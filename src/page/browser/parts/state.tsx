import type { PageRun } from "../../api.ts";
import { MARKS, stateWord, toneOf } from "./words.ts";

type Standing = Pick<PageRun, "phase" | "status" | "cause" | "asks">;

export function StateMark({ run }: { run: Standing }) {
	const tone = toneOf(run);
	return (
		<span class={`mark tone-${tone}`} aria-hidden="true">
			{MARKS[tone]}
		</span>
	);
}

export function StateBadge({ run }: { run: Standing }) {
	return (
		<span class={`badge tone-${toneOf(run)}`}>
			<StateMark run={run} />
			{stateWord(run)}
		</span>
	);
}
