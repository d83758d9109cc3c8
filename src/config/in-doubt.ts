import { type Diagnostic, whereAndWhat } from "../run/diagnostic.ts";
import { nearest } from "../run/nearest.ts";
import { pathsOf } from "./overlay.ts";
import { SETTINGS } from "./schema.ts";
import type { Section } from "./setting.ts";

/**
 * The problems because of which the user's wish for these keys is unknown: an unusable file; a wrong value of a key, of an
 * item in it or of the section around it; and an unknown key that was probably meant to be one of them. A default must not
 * decide what is deleted, or allow what a key may forbid.
 */
export function inDoubt(diagnostics: readonly Diagnostic[], keys: readonly string[]): Diagnostic[] {
	const known = pathsOf(SETTINGS as unknown as Section);
	return diagnostics.filter(({ severity, key }) => {
		if (key === undefined) return true;
		if (severity === "error") return keys.some((one) => isKeyWithin(key, one) || isKeyWithin(one, key));
		// A warning about a known key only says that a project asked for more than it may have.
		return !known.includes(key) && keys.some((one) => isMeantFor(key, one));
	});
}

/** Leaves out the remedy of an error: it says that a default applies, which is not true here. */
export const doubtInWords = (doubt: Diagnostic): string =>
	`${whereAndWhat(doubt)}${doubt.severity === "warning" ? ` ${doubt.remedy}` : ""}`;

const isKeyWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}.`);

/** Whether an unknown key is a misspelt one of the same section, or one in the wrong section. */
function isMeantFor(unknown: string, key: string): boolean {
	const [written, meant] = [unknown.split("."), key.split(".")];
	if (written.at(-1) === meant.at(-1)) return true;
	const depth = written.length - 1;
	const isThere = written.slice(0, depth).join(".") === meant.slice(0, depth).join(".");
	return isThere && nearest(written[depth] ?? "", meant.slice(depth, depth + 1)) !== undefined;
}
