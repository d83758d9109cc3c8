import { type History, planHistory } from "./plan.ts";
import { replay, type Verdict } from "./simulate.ts";

/** The shortest plan that was found in which the same promise is still broken: what is left matters. */
export async function shrink(seed: number, promise: string): Promise<Verdict> {
	let smallest = planHistory(seed);
	for (let isSmaller = true; isSmaller; ) {
		isSmaller = false;
		for (const smaller of withoutOne(smallest)) {
			const { violations } = await replay(smaller);
			if (!violations.some((violation) => violation.promise === promise)) continue;
			smallest = smaller;
			isSmaller = true;
			break;
		}
	}
	return replay(smallest, { traced: true });
}

/** All plans with one thing less: a trouble, a fault, a prompt, a call. */
function* withoutOne(history: History): Generator<History> {
	for (const index of history.troubles.keys()) yield { ...history, troubles: history.troubles.toSpliced(index, 1) };
	for (const [role, processes] of Object.entries(history.faults)) {
		for (const [nth, faults] of processes.entries()) {
			for (const index of faults.keys()) {
				const fewer = processes.with(nth, faults.toSpliced(index, 1));
				yield { ...history, faults: { ...history.faults, [role]: fewer } };
			}
		}
	}
	for (const [parent, prompts] of history.parents.entries()) {
		for (const [index, prompt] of prompts.entries()) {
			yield { ...history, parents: history.parents.with(parent, prompts.toSpliced(index, 1)) };
			if (prompt.calls.length < 2) continue;
			for (const call of prompt.calls.keys()) {
				const shorter = prompts.with(index, { ...prompt, calls: prompt.calls.toSpliced(call, 1) });
				yield { ...history, parents: history.parents.with(parent, shorter) };
			}
		}
	}
}
