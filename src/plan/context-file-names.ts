/**
 * The names by which pi finds a folder's project instructions: the first one counts. pi's own function reads every file
 * whole, no matter who made it, so it is not used. `test/child/context-files.test.ts` compares the two.
 */
export const INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/** Other files that a child reads. The parent's remaining files (who it is, whom it serves) are not meant for the child. */
export const TOOL_NOTES = ["TOOLS.md"];
