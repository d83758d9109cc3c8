import { plural } from "./amounts.ts";
import type { ReportedChanges } from "./changes.ts";

/** `3 files +10 -2`, where there is room for only a few words. */
export const changesInShort = ({ total }: Pick<ReportedChanges, "total">): string =>
	total.files === 0 ? "changed nothing" : `${plural(total.files, "file")} +${total.added} -${total.removed}`;

/** What the user can do with the changes of a run, which are not in the checkout by themselves. */
export const howToApply = (runId: string, command: "/subagents" | "pi-geon" = "/subagents"): string =>
	`Not in your working tree yet: ${command} diff ${runId} shows it, ${command} apply ${runId} applies it.`;

/** The changes of a run in a sentence for the user; undefined if it has none. */
export function changesForUser(
	changes: Pick<ReportedChanges, "total" | "commit"> | undefined,
	...of: Parameters<typeof howToApply>
): string | undefined {
	if (!changes || changes.commit === null) return undefined;
	return `It changed ${changesInShort(changes)}. ${howToApply(...of)}`;
}
