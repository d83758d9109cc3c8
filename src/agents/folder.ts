import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../run/diagnostic.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { parseAgent } from "./parse.ts";
import type { AgentFolder } from "./project-folders.ts";

const LARGEST_FILE = 256 * 1024;

export interface FolderContent {
	agents: AgentDefinition[];
	diagnostics: Diagnostic[];
}

/** The agents of one folder. What is wrong with one file is said and hides no other. */
export function readFolder(folder: AgentFolder, source: AgentSource): FolderContent {
	const agents = new Map<string, AgentDefinition>();
	const { files, diagnostics } = listFiles(folder.path);
	for (const file of files) {
		const text = readAgentFile(file);
		if (typeof text !== "string") {
			diagnostics.push(text);
			continue;
		}
		if (folder.shared && splitFrontmatter(text).kind === "missing") continue;
		const parsed = parseAgent(text, { file, source });
		diagnostics.push(...parsed.diagnostics);
		if (parsed.agent === undefined) continue;
		const first = agents.get(parsed.agent.name);
		if (first === undefined) agents.set(parsed.agent.name, parsed.agent);
		else diagnostics.push(alreadyDefined(parsed.agent, first));
	}
	return { agents: [...agents.values()], diagnostics };
}

function listFiles(folder: string): { files: string[]; diagnostics: Diagnostic[] } {
	try {
		const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
		return { files: names.sort().map((name) => join(folder, name)), diagnostics: [] };
	} catch (error) {
		return { files: [], diagnostics: isMissing(error) ? [] : [unreadable(folder, reasonOf(error))] };
	}
}

const isMissing = (error: unknown): boolean =>
	error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

function readAgentFile(file: string): string | Diagnostic {
	try {
		const stats = statSync(file);
		// Opening anything else may not return: a pipe waits for its writer.
		if (!stats.isFile()) return unreadable(file, "it is no file");
		if (stats.size > LARGEST_FILE) return unreadable(file, `it is larger than ${LARGEST_FILE / 1024} KiB`);
		return readFileSync(file, "utf8");
	} catch (error) {
		return unreadable(file, reasonOf(error));
	}
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unreadable = (file: string, reason: string): Diagnostic => ({
	severity: "error",
	file,
	message: `Not read: ${reason}.`,
	remedy: "Mend it or remove it.",
});

const alreadyDefined = (agent: AgentDefinition, first: AgentDefinition): Diagnostic => ({
	severity: "warning",
	file: agent.file,
	key: "name",
	message: `Not used: ${first.file} already defines the agent ${agent.name}.`,
	remedy: "Give it another name.",
});
