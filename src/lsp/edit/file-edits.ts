import { fileURLToPath } from "node:url";
import type { Position, TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { type Encoding, unitsBefore } from "../positions.ts";
import { readSource } from "../source-text.ts";
import type { Workspace } from "../workspace.ts";

/** A file before and after the edit. */
export interface FileEdit {
	path: string;
	before: string;
	after: string;
}

/** The edits that a server wants, file by file. Refuses all of them if any is forbidden. */
export function fileEdits(edit: WorkspaceEdit, workspace: Workspace, encoding: Encoding): FileEdit[] {
	const changes = (edit.documentChanges ?? []).map((change) => {
		if (!("textDocument" in change))
			throw new Error(`The edit would also ${change.kind} a file, which is not supported.`);
		return { uri: change.textDocument.uri, edits: change.edits as TextDocumentEdit["edits"] };
	});
	const older = edit.documentChanges ? [] : Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ uri, edits }));
	const byPath = new Map<string, TextEdit[]>();
	for (const { uri, edits } of [...changes, ...older]) {
		if (!uri.startsWith("file:")) throw new Error(`The edit would change ${uri}, which is not a file.`);
		const path = workspace.file(fileURLToPath(uri));
		byPath.set(path, [...(byPath.get(path) ?? []), ...edits.map(plainEdit)]);
	}
	return [...byPath].map(([path, edits]) => {
		const { text, hasByteOrderMark } = readSource(path);
		const mark = hasByteOrderMark ? "\uFEFF" : "";
		return { path, before: mark + text, after: mark + applied(text, edits, encoding) };
	});
}

function plainEdit(edit: TextDocumentEdit["edits"][number]): TextEdit {
	if ("newText" in edit) return edit;
	throw new Error("The edit has placeholders for a user to fill in, which is not supported.");
}

function applied(text: string, edits: TextEdit[], encoding: Encoding): string {
	const offset = offsets(text, encoding);
	const cuts = edits
		.map(({ range, newText }, order) => ({ from: offset(range.start), to: offset(range.end), newText, order }))
		.sort((a, b) => a.from - b.from || a.order - b.order);
	let result = "";
	let done = 0;
	for (const { from, to, newText } of cuts) {
		if (from < done) throw new Error("The edit changes the same place twice.");
		result += text.slice(done, from) + newText;
		done = to;
	}
	return result + text.slice(done);
}

/** Converts a server's positions to offsets in the text, with any line ends. */
function offsets(text: string, encoding: Encoding): (position: Position) => number {
	const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
	return ({ line, character }) => {
		const start = starts[line];
		if (start === undefined) return text.length;
		const content = text.slice(start, starts[line + 1]).replace(/[\r\n]+$/, "");
		return start + unitsBefore(character, content, encoding);
	};
}
