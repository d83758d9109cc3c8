/** A patch of git, split into files and lines. */
export interface FileDiff {
	path: string;
	/** Lines about the file that are not its path: new, deleted, renamed, mode. */
	notes: string[];
	lines: DiffLine[];
	added: number;
	removed: number;
}

export interface DiffLine {
	kind: "hunk" | "added" | "removed" | "same" | "note";
	text: string;
	before?: number;
	after?: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const NOTES =
	/^(new file mode|deleted file mode|rename from|rename to|similarity index|old mode|new mode|Binary files|GIT binary patch)/;

export function filesOfDiff(text: string): FileDiff[] {
	const files: FileDiff[] = [];
	let [before, after] = [0, 0];
	let isInHunk = false;
	for (const line of text.split("\n")) {
		const file = files.at(-1);
		if (line.startsWith("diff --git ")) {
			files.push({ path: pathIn(line), notes: [], lines: [], added: 0, removed: 0 });
			isInHunk = false;
			continue;
		}
		if (!file) continue;
		const hunk = HUNK.exec(line);
		if (hunk) {
			isInHunk = true;
			[before, after] = [Number(hunk[1]), Number(hunk[2])];
			file.lines.push({ kind: "hunk", text: line });
		} else if (!isInHunk) {
			if (line.startsWith("+++ b/")) file.path = line.slice(6);
			else if (NOTES.test(line)) file.notes.push(line);
		} else if (line.startsWith("+")) {
			file.added++;
			file.lines.push({ kind: "added", text: line.slice(1), after: after++ });
		} else if (line.startsWith("-")) {
			file.removed++;
			file.lines.push({ kind: "removed", text: line.slice(1), before: before++ });
		} else if (line.startsWith(" ")) {
			file.lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
		} else if (line.startsWith("\\")) file.lines.push({ kind: "note", text: line.slice(2) });
	}
	return files;
}

/** For a file without a `+++` line, because it is binary, deleted or only renamed. */
const pathIn = (line: string): string => line.slice(line.lastIndexOf(" b/") + 3);
