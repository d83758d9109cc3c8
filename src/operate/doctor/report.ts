import { inOneLine, plain } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import { wrapTo } from "../report/layout.ts";
import type { CheckLevel, CheckResult } from "./check.ts";
import { DOCTOR_TITLE, LEVEL_MARKS } from "./marks.ts";

/** The width of the widest mark and a space. */
const INDENT = 6;

/** The whole report: the results, then how many of each kind. */
export function doctorReport(results: readonly CheckResult[], options: { width: number }): string[] {
	return [DOCTOR_TITLE, "", ...results.flatMap((result) => checkReport(result, options)), "", doctorSummary(results)];
}

/** The lines of one result. */
export function checkReport(result: CheckResult, { width }: { width: number }): string[] {
	const { level, check, what, detail, remedy, fixed } = result;
	const below = (text: string) => indentedText(width, text);
	const [first = "", ...others] = below(`${check}: ${inOneLine(what)}${fixed ? " (fixed)" : ""}`);
	return [
		`${LEVEL_MARKS[level].padEnd(INDENT)}${first.slice(INDENT)}`,
		...others,
		...(detail === undefined || fixed ? [] : below(plain(detail))),
		...(remedy === undefined ? [] : below(`→ ${inOneLine(remedy)}`)),
	];
}

const indentedText = (width: number, text: string): string[] =>
	wrapTo(Math.max(10, width - INDENT), text).map((line) => `${" ".repeat(INDENT)}${line}`.trimEnd());

export function doctorSummary(results: readonly CheckResult[]): string {
	const count = (level: CheckLevel) => results.filter((result) => result.level === level).length;
	const [failed, warned] = [count("fail"), count("warn")];
	const fixable = results.filter((result) => result.fixable).length;
	if (failed + warned === 0) return "Everything works.";
	const found = [...(failed > 0 ? [`${failed} failed`] : []), ...(warned > 0 ? [plural(warned, "warning")] : [])].join(
		", ",
	);
	return fixable > 0 ? `${found}. --fix fixes ${fixable} of them.` : `${found}.`;
}

export const hasFailed = (results: readonly CheckResult[]): boolean => results.some(({ level }) => level === "fail");
