import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { ReportedChanges } from "../../run/changes.ts";
import { changesInShort, howToApply } from "../../run/changes-in-short.ts";
import { type SandboxReport, sandboxInShort } from "../../run/sandbox-report.ts";
import type { Drawing } from "./drawing.ts";

interface Changed {
	changes: ReportedChanges | undefined;
	runId: string | undefined;
}

/** What the user can do with the changes, which are not in the checkout by themselves. */
export function changedLines({ changes, runId }: Changed, { theme, width }: Drawing): string[] {
	if (!changes || changes.commit === null || runId === undefined) return [];
	return wrapTextWithAnsi(theme.fg("warning", howToApply(runId)), width);
}

interface ShownFacts extends Pick<Changed, "changes"> {
	sandbox: SandboxReport | undefined;
}

/** What a run changed, and whether the kernel limited it, in a few words each. */
export const outcomeFacts = ({ changes, sandbox }: ShownFacts): string[] => [
	...(changes ? [changesInShort(changes)] : []),
	...(sandbox ? [sandboxInShort(sandbox)] : []),
];
