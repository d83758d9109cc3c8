const PI_TOOLS = ["read", "grep", "find", "ls", "bash", "edit", "write"];

/** Claude Code's tools that go by another name in pi. */
const CLAUDE_TOOLS: ReadonlyMap<string, string> = new Map([
	["Glob", "find"],
	["MultiEdit", "edit"],
	["WebFetch", "fetch_content"],
	["WebSearch", "web_search"],
]);

const TOOL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$/;
const RESTRICTED = /^([A-Za-z0-9_][A-Za-z0-9_.:/-]*)\(/;
const MCP_SERVER = /^mcp__(?:(?!__).)+$/;

export type ToolEntry =
	| { kind: "tool"; name: string }
	/** `Bash(git:*)`: some uses of a tool. */
	| { kind: "restricted"; name: string }
	/** `mcp__github__*`, `mcp__github`, `*`: more than one tool, or no name at all. */
	| { kind: "unusable" };

export function readToolEntry(text: string): ToolEntry {
	const restricted = RESTRICTED.exec(text)?.[1];
	if (restricted !== undefined) return { kind: "restricted", name: piName(restricted) };
	if (!TOOL_NAME.test(text) || MCP_SERVER.test(text)) return { kind: "unusable" };
	return { kind: "tool", name: piName(text) };
}

/** What a list in the configuration names: the tools themselves, and those of which it names some uses. */
export const namesOf = (entries: readonly string[], { restricted }: { restricted: boolean }): string[] =>
	entries.map(readToolEntry).flatMap((entry) => {
		if (entry.kind === "unusable" || (entry.kind === "restricted" && !restricted)) return [];
		return [entry.name];
	});

function piName(name: string): string {
	const lower = name.toLowerCase();
	return PI_TOOLS.includes(lower) ? lower : (CLAUDE_TOOLS.get(name) ?? name);
}

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
