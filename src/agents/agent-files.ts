import { type Dirent, opendirSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../run/diagnostic.ts";
import { messageOf } from "../run/message-of.ts";
import type { ReadingBudget } from "./budget.ts";
import type { AgentFolder } from "./project-folders.ts";

const DEEPEST_FOLDER = 8;

export interface AgentFiles {
	files: string[];
	diagnostics: Diagnostic[];
}

/** The files of a folder that may be agents: its own first, by name, then those of its subfolders. */
export function agentFiles(folder: AgentFolder, budget: ReadingBudget): AgentFiles {
	const found: AgentFiles = { files: [], diagnostics: [] };
	search(folder.path, { folder, budget, depth: 0 }, found);
	return found;
}

interface Search {
	folder: AgentFolder;
	budget: ReadingBudget;
	depth: number;
}

function search(path: string, at: Search, found: AgentFiles): void {
	const { folder, budget, depth } = at;
	const entries = someEntries(path, at, found.diagnostics);
	found.files.push(...entries.filter(mayBeAgent).map(({ name }) => join(path, name)));
	if (!folder.subfolders) return;
	for (const entry of entries.filter(({ name }) => !isSomebodyElses(name))) {
		const inner = join(path, entry.name);
		// A link may lead anywhere, even back here.
		if (entry.isSymbolicLink() && !entry.name.endsWith(".md")) found.diagnostics.push(linkNotFollowed(inner));
		if (!entry.isDirectory() || budget.isSpent) continue;
		if (depth === DEEPEST_FOLDER) found.diagnostics.push(tooDeep(inner));
		else search(inner, { ...at, depth: depth + 1 }, found);
	}
}

/** pi's skills are not agents, in any folder. */
const mayBeAgent = (entry: Dirent): boolean =>
	entry.name.endsWith(".md") && entry.name !== "SKILL.md" && !entry.isDirectory();

const isSomebodyElses = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** Reads the entries one by one, because a folder may contain millions. */
function someEntries(path: string, { folder, budget }: Search, diagnostics: Diagnostic[]): Dirent[] {
	const entries: Dirent[] = [];
	try {
		const directory = opendirSync(path);
		try {
			for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
				if (!budget.entry(folder.path)) break;
				entries.push(entry);
			}
		} finally {
			directory.closeSync();
		}
	} catch (error) {
		if (!isMissingFolder(error)) diagnostics.push(unreadableFile(path, messageOf(error)));
	}
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isMissingFolder = (error: unknown): boolean =>
	error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

export const unreadableFile = (file: string, reason: string): Diagnostic => ({
	severity: "error",
	file,
	message: `Not read: ${reason}.`,
	remedy: "Fix it or remove it.",
});

const linkNotFollowed = (file: string): Diagnostic => ({
	severity: "warning",
	file,
	message: "Not searched for agents: links to folders are not followed.",
	remedy: "Move the folder here, or link the files in it.",
});

const tooDeep = (file: string): Diagnostic => ({
	severity: "error",
	file,
	message: `Not searched for agents: it is more than ${DEEPEST_FOLDER} folders deep.`,
	remedy: "Move its agents further up.",
});
