import { plural } from "./amounts.ts";
import type { ReportedChanges } from "./changes.ts";

/** `3 files +10 -2`, where there is room for only a few words. */
export const changesInShort = ({ total }: Pick<ReportedChanges, "total">): string =>
	total.files === 0 ? "changed nothing" : `${plural(total.files, "file")} +${total.added} -${total.removed}`;
