/**
 * The names by which pi finds a folder's project instructions: the first one counts. Its own function would do, but it
 * reads every file whole, no matter who made it. `test/child/context-files.test.ts` holds the two side by side.
 */
export const INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/** What a child reads besides. The parent's other files (who it is, whom it serves) are not the child's. */
export const TOOL_NOTES = ["TOOLS.md"];
