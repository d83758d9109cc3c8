import type { Field } from "./fields.ts";
import type { Findings } from "./findings.ts";

/** The only valid spellings. Anything else is an error, because a guess may give the agent what its author withheld. */
const SPELLINGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
	[true, true],
	[1, true],
	["true", true],
	["1", true],
	[false, false],
	[0, false],
	["false", false],
	["0", false],
]);

export function readBoolean(field: Field, findings: Findings): boolean | undefined {
	const value = SPELLINGS.get(field.value);
	if (value === undefined) findings.error(field, `${field.key} is neither true nor false.`, "Write true or false.");
	return value;
}
