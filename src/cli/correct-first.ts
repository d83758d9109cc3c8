import { doubtInWords } from "../config/in-doubt.ts";
import type { Diagnostic } from "../run/diagnostic.ts";

/** Why a command does not use a default: the user's file may have another value. */
export const correctFirst = (doubt: Diagnostic): string =>
	`${doubtInWords(doubt)} The default may not be what you want: fix it, or remove it, and try again.`;
