import type { Ledger } from "../../ledger/ledger.ts";
import type { DoctorSources } from "./sources.ts";

/** pass: it works. warn: it works, but not as a user may expect. fail: it does not work. */
export type CheckLevel = "pass" | "warn" | "fail";

/** What one look found. */
export interface CheckResult {
	/** Which check it is of, in a word or two. */
	check: string;
	level: CheckLevel;
	what: string;
	/** The particulars: may have several lines. */
	detail?: string;
	/** What the user can do. */
	remedy?: string;
	/** `--fix` would put it right. */
	fixable?: true;
	/** It was wrong, and this check fixed it. */
	fixed?: true;
}

export interface Examination {
	sources: DoctorSources;
	/** Absent where it cannot be opened. */
	ledger: Ledger | undefined;
	/** Whether to put right what can be put right without a question. */
	fix: boolean;
	signal: AbortSignal;
}

/** One thing that can be wrong, tried. Whatever it throws is reported as a failure of its own. */
export interface Check {
	name: string;
	run(examination: Examination): AsyncIterable<Finding> | Iterable<Finding>;
}

export type Finding = Omit<CheckResult, "check">;

export const pass = (what: string, detail?: string): Finding => ({
	level: "pass",
	what,
	...(detail !== undefined && { detail }),
});

/** Something that `--fix` puts right: put right, or said to be wrong. */
export function fixable(problem: Finding, { fix }: Pick<Examination, "fix">, putRight: () => void): Finding {
	if (!fix) return { ...problem, remedy: `${problem.remedy ?? ""} --fix does that.`.trim(), fixable: true };
	putRight();
	return { level: "pass", what: problem.what, detail: "Put right.", fixed: true };
}
