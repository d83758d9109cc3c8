/** The corrections that a child gets before its run fails: messages that it has not returned its answer properly. */
export class Corrections {
	#left: number;
	/** What was wrong with the last attempt to return an answer. */
	lastProblem = "it never called the tool";

	constructor(allowed: number) {
		this.#left = allowed;
	}

	/** Uses up one correction; false if none is left. */
	take(problem: string): boolean {
		this.lastProblem = problem;
		return this.#left-- > 0;
	}
}
