import { positionOf } from "../run/diagnostic.ts";
import { readBoolean } from "./booleans.ts";
import type { FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";

/** The value with which each field disables the agent. `disable` is opencode's. */
const OFF = { enabled: false, disabled: true, disable: true };

export const SWITCH_FIELDS = Object.keys(OFF) as (keyof typeof OFF)[];

/** Where the file says that the agent must not be used; undefined if it does not. */
export function readSwitchedOff(fields: FieldsByKey, findings: Findings, file: string): string | undefined {
	for (const key of SWITCH_FIELDS) {
		const field = fields.get(key);
		if (field === undefined) continue;
		if (readBoolean(field, findings) === OFF[key]) {
			return `\`${key}: ${OFF[key]}\` in ${positionOf({ file, line: field.line })}`;
		}
	}
	return undefined;
}
