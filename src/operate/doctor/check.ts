import type { Ledger } from "../../ledger/ledger.ts";
import type { DoctorSources } from "./sources.ts";

/** pass: it works. warn: it works, but not as a user may expect. fail: it does not work. */
export type CheckLevel = "pass" | "warn" | "fail";

/** One finding of a check. */
export interface CheckResult {
	/** The name of its check, in a word or two. */
	check: string;
	level: CheckLevel;
	what: string;
	/** The details, which may have several lines. */
	detail?: string;
	/** What the user can do. */
	remedy?: string;
	/** `--fix` would fix it. */
	fixable?: true;
	/** This check found it wrong and fixed it. */
	fixed?: true;
}

export interface Examination {
	sources: DoctorSources;
	/** Absent if it cannot be opened. */
	ledger: Ledger | undefined;
	/** Whether to fix what can be fixed without a question. */
	fix: boolean;
	signal: AbortSignal;
}

/** Checks one possible problem. An error that it throws is reported as a failure. */
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

/** A problem that `--fix` fixes: fixed, or reported. */
export function fixable(problem: Finding, { fix }: Pick<Examination, "fix">, repair: () => void): Finding {
	if (!fix) return { ...problem, remedy: `${problem.remedy ?? ""} --fix does that.`.trim(), fixable: true };
	repair();
	return { level: "pass", what: problem.what, detail: "Fixed.", fixed: true };
}
