import { doubtInWords } from "../config/in-doubt.ts";
import type { Diagnostic } from "../run/diagnostic.ts";

/** Why a command does not use a default if the user's file may say something else. */
export const correctFirst = (doubt: Diagnostic): string =>
	`${doubtInWords(doubt)} The default may not be what you want: fix it, or remove it, and try again.`;
