import type { CheckLevel } from "./check.ts";

export const DOCTOR_TITLE = "pi-geon doctor";

/** The beginning of the first line of a result. */
export const LEVEL_MARKS: Readonly<Record<CheckLevel, string>> = { pass: "ok", warn: "warn", fail: "FAIL" };

/** The level that a line of the report begins with. Text from others is indented, so it never begins with one. */
export function levelOfLine(line: string): CheckLevel | undefined {
	const levels = Object.keys(LEVEL_MARKS) as CheckLevel[];
	return levels.find((level) => line.startsWith(`${LEVEL_MARKS[level]} `));
}
