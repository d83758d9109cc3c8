/** An open question of the session that pi has open. */
export interface SeenOpenQuestion {
	readonly seq: number;
	/** Whether this process shows it. */
	readonly isOurs: boolean;
}

export type QuestionAction = { do: "show" | "close"; seq: number };

/**
 * What a parent does about the questions of its runs. It shows each of its own questions once, and closes the dialogs of
 * questions that have finished or that another process shows now.
 */
export function decideQuestions(shown: ReadonlySet<number>, open: readonly SeenOpenQuestion[]): QuestionAction[] {
	const ours = new Set(open.filter(({ isOurs }) => isOurs).map(({ seq }) => seq));
	return [
		...[...shown].filter((seq) => !ours.has(seq)).map((seq) => ({ do: "close" as const, seq })),
		...[...ours].filter((seq) => !shown.has(seq)).map((seq) => ({ do: "show" as const, seq })),
	];
}
