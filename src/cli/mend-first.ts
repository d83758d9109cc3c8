import { doubtInWords } from "../config/in-doubt.ts";
import type { Diagnostic } from "../run/diagnostic.ts";

/** Why a command does not go by a default where its user wrote something else. */
export const mendFirst = (doubt: Diagnostic): string =>
	`${doubtInWords(doubt)} The default may not be what you want: fix it, or remove it, and try again.`;
