import { readFileSync, writeFileSync } from "node:fs";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { messageOf } from "../../run/message-of.ts";
import type { LspAnswer } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import type { LspSession } from "../session.ts";
import { type FileEdit, fileEdits } from "./file-edits.ts";

const LONGEST_DIFF = 30_000;

/** Shows an edit as a diff, and applies it if that is allowed. */
export async function present(
	session: LspSession,
	{ edit, server, title }: { edit: WorkspaceEdit; server: LanguageServer; title: string },
): Promise<LspAnswer> {
	const { workspace, mayWrite } = session;
	const edits = fileEdits(edit, workspace, server.encoding).filter(({ before, after }) => before !== after);
	if (edits.length === 0) return { text: `${title} changes nothing.`, details: { applied: false, files: [] } };
	const patches = edits.map(({ path, before, after }) => session.unifiedPatch(workspace.show(path), before, after));
	const diff = patches.join("\n");
	if (mayWrite) await inAllQueues(session, edits, async () => writeAll(edits));
	const files = edits.map(({ path }) => workspace.show(path));
	const said = mayWrite
		? `${title}: applied to ${files.join(", ")}.`
		: `${title}: NOT applied. It would change ${files.join(", ")}. Edit the files yourself, or ask the user to set lsp.allowMutatingActions in pi-geon.json.`;
	const shown =
		diff.length > LONGEST_DIFF ? `${diff.slice(0, LONGEST_DIFF)}\n… the diff has ${diff.length} characters.` : diff;
	return { text: `${said}\n\n${shown}`, details: { applied: mayWrite, files, diff, server: server.name } };
}

/** Holds the queues of all files at once, always in the same order, so that two edits cannot wait for each other. */
async function inAllQueues(session: LspSession, edits: FileEdit[], work: () => Promise<void>): Promise<void> {
	const paths = edits.map(({ path }) => path).sort();
	const nested = paths.reduceRight<() => Promise<void>>(
		(inner, path) => () => session.inMutationQueue(path, inner),
		work,
	);
	await nested();
}

/** Writes all files or none. */
function writeAll(edits: FileEdit[]): void {
	const changed = edits.find(({ path, before }) => readFileSync(path, "utf8") !== before);
	if (changed) throw new Error(`${changed.path} has changed in the meantime; nothing was applied. Ask again.`);
	const done: FileEdit[] = [];
	try {
		for (const edit of edits) {
			done.push(edit);
			writeFileSync(edit.path, edit.after);
		}
	} catch (error) {
		for (const { path, before } of done) restore(path, before);
		throw new Error(`Nothing was applied: ${messageOf(error)}`);
	}
}

function restore(path: string, before: string): void {
	try {
		writeFileSync(path, before);
	} catch (error) {
		// A file that could not be written cannot be restored either, but need not be.
		if (readFileSync(path, "utf8") !== before) throw error;
	}
}
