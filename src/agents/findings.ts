import type { Diagnostic } from "../run/diagnostic.ts";

/** Where in the file a finding is, and about which field. */
export interface FindingPlace {
	line?: number;
	column?: number;
	key?: string;
}

const LONGEST_FINDING = 300;
/** The limit for one kind of finding in one file: a hostile file may have thousands. */
const MOST_OF_A_KIND = 20;

/** Collects all problems of one agent file, so that they are reported together. */
export class Findings {
	readonly diagnostics: Diagnostic[] = [];
	readonly #file: string;

	constructor(file: string) {
		this.#file = file;
	}

	/** The file cannot be used. */
	error(place: FindingPlace, message: string, remedy: string): void {
		this.#add("error", place, message, remedy);
	}

	/** The file is used, but something in it is not. */
	warning(place: FindingPlace, message: string, remedy: string): void {
		this.#add("warning", place, message, remedy);
	}

	get hasErrors(): boolean {
		return this.diagnostics.some(({ severity }) => severity === "error");
	}

	#add(severity: Diagnostic["severity"], { line, column, key }: FindingPlace, message: string, remedy: string): void {
		const known = this.diagnostics.filter((one) => one.severity === severity).length;
		if (known > MOST_OF_A_KIND) return;
		if (known === MOST_OF_A_KIND) {
			const more = `There are more ${severity}s in this file; these are the first ${MOST_OF_A_KIND}.`;
			this.diagnostics.push({ severity, file: this.#file, message: more, remedy: "Fix these first." });
			return;
		}
		this.diagnostics.push({
			severity,
			file: this.#file,
			...(line === undefined ? {} : { line }),
			...(column === undefined ? {} : { column }),
			...(key === undefined ? {} : { key }),
			// It quotes the file, which may contain anything.
			message: message.length > LONGEST_FINDING ? `${message.slice(0, LONGEST_FINDING)}…` : message,
			remedy,
		});
	}
}
