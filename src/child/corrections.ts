/** How often a child is told that it has not returned an answer properly, in whichever way, before we give up on it. */
export class Corrections {
	#left: number;
	/** What was wrong with the last attempt to return an answer. */
	lastProblem = "it never called the tool";

	constructor(allowed: number) {
		this.#left = allowed;
	}

	/** Takes one; false if there is none left. */
	take(problem: string): boolean {
		this.lastProblem = problem;
		return this.#left-- > 0;
	}
}
