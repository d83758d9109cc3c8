import { basename } from "node:path";
import type { Diagnostic } from "../run/diagnostic.ts";
import { messageOf } from "../run/message-of.ts";
import { agentFiles, unreadableFile } from "./agent-files.ts";
import { mayName } from "./agent-name.ts";
import type { ReadingBudget } from "./budget.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { type ParsedAgent, parseAgent } from "./parse.ts";
import type { AgentFolder } from "./project-folders.ts";
import { withFile } from "./read-text.ts";

export interface FolderContent {
	agents: AgentDefinition[];
	unusable: UnusableAgent[];
	diagnostics: Diagnostic[];
}

/** A file that would be an agent, if it had no errors. */
export interface UnusableAgent {
	/** The name in the file, or else the name of the file. */
	name: string;
	source: AgentSource;
	problem: Diagnostic;
}

export interface FolderReading {
	source: AgentSource;
	budget: ReadingBudget;
	/** Read only the files that may define this name. */
	named?: string;
}

/** The agents of one folder. Reports a problem of one file without hiding the others. */
export function readFolder(folder: AgentFolder, reading: FolderReading): FolderContent {
	const { source, budget, named } = reading;
	const agents = new Map<string, AgentDefinition>();
	const unusable: UnusableAgent[] = [];
	const { files, diagnostics } = agentFiles(folder, budget);
	for (const file of files) {
		const parsed = readAgentFile(file, folder, reading);
		if (parsed === "spent") break;
		if (parsed === "not asked for") continue;
		const name = parsed.agent?.name ?? parsed.name ?? basename(file, ".md");
		if (named !== undefined && name !== named) continue;
		diagnostics.push(...parsed.diagnostics);
		if (parsed.agent === undefined) {
			const problem = parsed.diagnostics.find(({ severity }) => severity === "error");
			if (problem) unusable.push({ name, source, problem });
			continue;
		}
		const first = agents.get(name);
		if (first === undefined) agents.set(name, parsed.agent);
		else diagnostics.push(alreadyDefined(parsed.agent, first));
	}
	return { agents: [...agents.values()], unusable, diagnostics };
}

/** Reused, because every delegation asks for all agents, and their files change rarely. */
const knownAgents = new Map<string, { version: string; agent: ParsedAgent }>();

function readAgentFile(
	file: string,
	folder: AgentFolder,
	{ source, budget, named }: FolderReading,
): ParsedAgent | "not asked for" | "spent" {
	try {
		return withFile(file, (opened) => {
			const version = `${source} ${opened.version}`;
			const before = knownAgents.get(file);
			if (before?.version === version) return before.agent;
			if (!budget.file(folder.path, opened.size)) return "spent";
			const text = opened.read();
			if (text.kind === "unread") return { diagnostics: [unreadableFile(file, text.reason)] };
			if (named !== undefined && !mayDefine(named, text.text)) return "not asked for";
			const agent = parseAgent(text.text, { file, source });
			knownAgents.set(file, { version, agent });
			return agent;
		});
	} catch (error) {
		return { diagnostics: [unreadableFile(file, messageOf(error))] };
	}
}

/** Whether the frontmatter contains the name at all, which is cheap to check for any file. */
function mayDefine(name: string, text: string): boolean {
	const frontmatter = splitFrontmatter(text);
	return frontmatter.kind === "found" && mayName(frontmatter.yaml, name);
}

const alreadyDefined = (agent: AgentDefinition, first: AgentDefinition): Diagnostic => ({
	severity: "warning",
	file: agent.file,
	key: "name",
	message: `Not used: ${first.file} already defines the agent ${agent.name}.`,
	remedy: "Give it another name.",
});
