import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Diagnostic } from "../run/diagnostic.ts";
import { messageOf } from "../run/message-of.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { type ParsedAgent, parseAgent } from "./parse.ts";
import type { AgentFolder } from "./project-folders.ts";

const LARGEST_FILE = 256 * 1024;

export interface FolderContent {
	agents: AgentDefinition[];
	unusable: UnusableAgent[];
	diagnostics: Diagnostic[];
}

/** A file that would be an agent, if something in it were not wrong. */
export interface UnusableAgent {
	/** As the file has it, or else that of the file. */
	name: string;
	source: AgentSource;
	problem: Diagnostic;
}

/** The agents of one folder. What is wrong with one file is said and hides no other. */
export function readFolder(folder: AgentFolder, source: AgentSource): FolderContent {
	const agents = new Map<string, AgentDefinition>();
	const unusable: UnusableAgent[] = [];
	const { files, diagnostics } = listFiles(folder.path);
	for (const file of files) {
		const parsed = readAgentFile(file, source);
		if (folder.shared && parsed.hasFrontmatter === false) continue;
		diagnostics.push(...parsed.diagnostics);
		if (parsed.agent === undefined) {
			const problem = parsed.diagnostics.find(({ severity }) => severity === "error");
			if (problem) unusable.push({ name: parsed.name ?? basename(file, ".md"), source, problem });
			continue;
		}
		const first = agents.get(parsed.agent.name);
		if (first === undefined) agents.set(parsed.agent.name, parsed.agent);
		else diagnostics.push(alreadyDefined(parsed.agent, first));
	}
	return { agents: [...agents.values()], unusable, diagnostics };
}

function listFiles(folder: string): { files: string[]; diagnostics: Diagnostic[] } {
	try {
		const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
		return { files: names.sort().map((name) => join(folder, name)), diagnostics: [] };
	} catch (error) {
		return { files: [], diagnostics: isMissing(error) ? [] : [unreadable(folder, messageOf(error))] };
	}
}

const isMissing = (error: unknown): boolean =>
	error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

interface ReadAgent extends ParsedAgent {
	/** Not known of a file that could not be read. */
	hasFrontmatter?: boolean;
}

/** Every delegation asks for all agents anew; their files change rarely. */
const read = new Map<string, { version: string; agent: ReadAgent }>();

function readAgentFile(file: string, source: AgentSource): ReadAgent {
	try {
		const stats = statSync(file);
		// Opening anything else may not return: a pipe waits for its writer.
		if (!stats.isFile()) return unread(file, "it is no file");
		if (stats.size > LARGEST_FILE) return unread(file, `it is larger than ${LARGEST_FILE / 1024} KiB`);
		const version = [source, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
		const known = read.get(file);
		if (known?.version === version) return known.agent;
		const text = readFileSync(file, "utf8");
		const hasFrontmatter = splitFrontmatter(text).kind !== "missing";
		const agent = { ...parseAgent(text, { file, source }), hasFrontmatter };
		read.set(file, { version, agent });
		return agent;
	} catch (error) {
		return unread(file, messageOf(error));
	}
}

const unread = (file: string, reason: string): ReadAgent => ({ diagnostics: [unreadable(file, reason)] });

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
