import { inOneLine, plain } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import { changesInShort } from "../../run/changes-in-short.ts";
import { legible } from "../../run/legible.ts";
import type { ChangeDone } from "../apply.ts";
import type { ChangesView } from "../changes.ts";
import { cutTo, padTo, wrapTo } from "./layout.ts";
import { type Reading, timeInWords } from "./words.ts";

const FILES_SHOWN = 50;

/** What several runs changed, a line for each. */
export function changesListReport(
	all: readonly ChangesView[],
	{ width, none }: Pick<Reading, "width"> & { none: string },
): string[] {
	if (all.length === 0) return wrapTo(width, none);
	return all.map((one) =>
		cutTo(width, `${one.runId}  ${padTo(10, one.state)}  ${changesInShort(one)}  ${inOneLine(one.agent)}`),
	);
}

/** What one run changed: the files with their counts, the warnings, and what was done with the changes. */
export function changesReport(changes: ChangesView, { width }: Pick<Reading, "width">): string[] {
	const { runId, agent, files, total, warnings, events, state, branch, base } = changes;
	return [
		cutTo(width, `Changes of run ${runId} (${inOneLine(agent)}): ${changesInShort(changes)}, ${state}`),
		cutTo(width, `on top of ${base.commit.slice(0, 12)}${base.dirty ? ", your working tree when the run began" : ""}`),
		"",
		...files.slice(0, FILES_SHOWN).map((file) => {
			const name = file.from === undefined ? file.path : `${file.from} → ${file.path}`;
			const counts = file.binary ? "binary" : `+${file.added} -${file.removed}`;
			return cutTo(width, `  ${file.status}  ${padTo(12, counts)} ${inOneLine(legible(name))}`);
		}),
		...(total.files > FILES_SHOWN ? [`  …and ${total.files - FILES_SHOWN} more`] : []),
		...(warnings.length > 0
			? ["", ...warnings.flatMap((warning) => wrapTo(width, `Check before applying: ${inOneLine(legible(warning))}`))]
			: []),
		...(events.length > 0
			? ["", ...events.map(({ what, by, at }) => `${timeInWords(at)}  ${what} by ${inOneLine(by)}`)]
			: []),
		...(branch === undefined ? [] : ["", `Branch: ${inOneLine(branch)}`]),
		...(state === "pending" ? ["", "None of it is in your working tree yet."] : []),
	];
}

/** The patch, as text that cannot paint on the terminal. */
export function diffReport(
	{ text, cutBytes, patch }: { text: string; cutBytes: number; patch: string },
	mostLines: number,
): string[] {
	const lines = plain(text).replace(/\n$/, "").split("\n");
	const left = lines.length - mostLines;
	return [
		...lines.slice(0, mostLines),
		...(left > 0 || cutBytes > 0
			? [`…${left > 0 ? ` ${plural(left, "more line")}.` : ""} The whole patch: ${inOneLine(patch)}`]
			: []),
	];
}

/** The result of a request. */
export function changeDoneReport({ runId, done, state, files, branch }: ChangeDone): string[] {
	const what = `the changes of run ${runId} (${plural(files, "file")})`;
	switch (done) {
		case "applied":
			return [`Applied ${what} to your working tree. apply --undo reverts them.`];
		case "undone":
			return [`Undone: ${what} are no longer in your working tree.`];
		case "branched":
			return [`Put ${what} on the branch ${inOneLine(branch ?? "")}. Your working tree is unchanged.`];
		case "discarded":
			return [`Discarded ${what}.`];
		case "already":
			return [`Nothing to do: ${what} are ${state}.`];
	}
}
