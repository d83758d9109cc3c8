import { PI_TOOLS } from "../run/pi-tools.ts";
import { ASK_TOOL } from "../run/question.ts";

/** Other systems' names for pi's tools: Claude Code's, opencode's, Gemini CLI's. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
	["glob", "find"],
	["multiedit", "edit"],
	["webfetch", "fetch_content"],
	["websearch", "web_search"],
	// Both start subagents, which no subagent may do. Planning reports that for the name `subagent`.
	["Task", "subagent"],
	["Agent", "subagent"],
	["AskUserQuestion", ASK_TOOL],
	["list", "ls"],
	["list_directory", "ls"],
	["read_file", "read"],
	["write_file", "write"],
	["grep_search", "grep"],
	["search_file_content", "grep"],
	["run_shell_command", "bash"],
	["replace", "edit"],
	["web_fetch", "fetch_content"],
	["google_web_search", "web_search"],
]);

const TOOL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$/;
const RESTRICTED = /^([A-Za-z0-9_][A-Za-z0-9_.:/-]*)\(/;
/** `mcp__github__*`, or `mcp__*`, which stand for any number of tools of MCP servers. */
const MCP_PATTERN = /^mcp__[A-Za-z0-9_.:/-]*\*$/;

export type ToolEntry =
	/** A tool, or the tools of an MCP server, as `mcp__github` or `mcp__github__*`: planning knows which exist. */
	| { kind: "tool"; name: string }
	/** `Bash(git:*)`: some uses of a tool. */
	| { kind: "restricted"; name: string }
	/** `*`, `read grep`: not one name. */
	| { kind: "unusable" };

export function readToolEntry(text: string): ToolEntry {
	const restricted = RESTRICTED.exec(text)?.[1];
	if (restricted !== undefined) return { kind: "restricted", name: piName(restricted) };
	if (!TOOL_NAME.test(text) && !MCP_PATTERN.test(text)) return { kind: "unusable" };
	return { kind: "tool", name: piName(text) };
}

/**
 * The tools that a file denies by denying one: pi's other shell too, and what else loads pages, for a file that does not
 * know pi's names.
 */
export function deniedWith(name: string, written: string): string[] {
	if (name === "bash") return ["bash", "powershell"];
	return name === "fetch_content" && written !== name ? [name, "convert_content"] : [name];
}

/** The names in a configured list: the tools themselves, or those that it names some uses of. */
export const namesOf = (entries: readonly string[], { restricted }: { restricted: boolean }): string[] =>
	entries.map(readToolEntry).flatMap((entry) => {
		if (entry.kind === "unusable" || (entry.kind === "restricted" && !restricted)) return [];
		return [entry.name];
	});

/** Ignores case for pi's own tools, lsp and their other names, so that `Read` and `webfetch` are understood. */
function piName(name: string): string {
	const lower = name.toLowerCase();
	return PI_TOOLS.has(lower) || lower === "lsp" ? lower : (OTHER_NAMES.get(name) ?? OTHER_NAMES.get(lower) ?? name);
}

/** Whether a word can only be the name of a tool: one of pi's, or one that has another name in pi. */
export const isToolWord = (word: string): boolean => PI_TOOLS.has(word.toLowerCase()) || piName(word) !== word;

/** Splits at commas, but not inside parentheses: `Bash(git add:*, git commit:*)` is one entry. */
export function splitToolList(text: string): string[] {
	const entries = [""];
	let depth = 0;
	for (const letter of text) {
		if (letter === "(") depth++;
		if (letter === ")") depth = Math.max(0, depth - 1);
		if (letter === "," && depth === 0) entries.push("");
		else entries[entries.length - 1] += letter;
	}
	return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
