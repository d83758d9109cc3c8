import { doubtInWords } from "../config/in-doubt.ts";
import type { Diagnostic } from "../run/diagnostic.ts";

/** Why a command does not use a default where the user's file says something else. */
export const mendFirst = (doubt: Diagnostic): string =>
	`${doubtInWords(doubt)} The default may not be what you want: fix it, or remove it, and try again.`;
