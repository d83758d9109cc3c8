/** What a scripted child is told to do. */
export interface ScriptedTask {
	name: string;
	steps: number;
	/** For each step. */
	ms: number;
	/** Whether it brings a change of the repository home. */
	changes?: boolean;
}

/** A line of a session file, as far as this suite looks at it. */
export interface Entry {
	type: string;
	id?: string;
	parentId?: string | null;
	customType?: string;
	content?: string;
	cwd?: string;
	version?: number;
	message?: { role: string; content: string };
	data?: { runId?: string };
	details?: { runId?: string; seq?: number };
}

/** A follow-up has the words of messages as its task. */
export function taskOf(text: string): ScriptedTask {
	return text.startsWith("{") ? (JSON.parse(text) as ScriptedTask) : { name: nameOfFollowUp(text), steps: 1, ms: 20 };
}

export const nameOfFollowUp = (task: string): string => `follow-up-${task.replace(/\s+/g, "+")}`;

/** The steps of a task that a session holds, in its order. */
export const stepsOf = (entries: readonly Entry[], name: string): number[] =>
	entries.flatMap(({ message }) => {
		const [of, word, step] = message?.content.split(" ") ?? [];
		return of === name && word === "step" ? [Number(step)] : [];
	});
