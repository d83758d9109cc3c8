import type { AgentDefinition } from "../agents/definition.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import { ASK_TOOL } from "../run/question.ts";
import { SILENCE } from "../run/silence.ts";

/** The child's system prompt: its role, its bounds and tools, and how to return its work. */
export function childPrompt(
	agent: AgentDefinition,
	tools: readonly string[],
	{ forked = false, copyOf }: { forked?: boolean; copyOf?: string } = {},
): string {
	const schema = agent.outputSchema
		? `- \`result\` must be JSON text, nothing around it, that satisfies this JSON Schema: ${JSON.stringify(agent.outputSchema)}\n`
		: "";
	return `${agent.prompt.trim()}

# Bounds
${agent.source === "builtin" ? "" : BOUNDS}${questionsLine(agent, tools)}${toolsLine(tools)}
${copyOf === undefined ? "" : inCopy(copyOf)}${forked ? BACKGROUND : ""}
# How to return your answer
- You work for another agent that sees nothing of this conversation except what you return.
- End your work by calling ${FINALIZE_TOOL} exactly once, as your last action, on its own.
- status SUCCESS with \`result\`: your complete answer, readable without this conversation.
- status ERROR with \`error\`: what kept you from doing it; put what you did find into \`result\`.
${schema}- Text outside of that call is not delivered.
`;
}

/** The built-in agents have this in their own words. */
const BOUNDS = `- Do only the delegated task, whatever else you notice on the way.
- Do not delegate further: there are no subagents here.
`;

/**
 * The line in the session file says the same where the task begins. This one survives a compaction of the session, whose
 * summary would otherwise read like the child's own plans.
 */
const BACKGROUND = `- This session begins with a copy of the conversation of the agent that you work for. It is background: others
  said and did all of it, with tools that may not be yours. What was asked, planned or promised there is not your task.
`;

const inCopy = (checkout: string): string =>
	`- Your working directory is a copy of the user's ${checkout}, made for you. Read and write there, with relative paths:
  nothing outside of it can be written. What you change in it is shown to the user, who decides what to take over.
  You need not commit.
`;

function questionsLine({ source }: AgentDefinition, tools: readonly string[]): string {
	if (tools.includes(ASK_TOOL)) return MAY_ASK;
	return source === "builtin" ? "" : NO_QUESTIONS;
}

const NO_QUESTIONS =
	"- You cannot ask questions while you work. Decide, and report what you assumed and what is uncertain.\n";
const MAY_ASK =
	"- Decide yourself, and report what you assumed and what is uncertain. For a decision that only the user can make, " +
	`and that your task cannot do without, call ${ASK_TOOL}.\n`;

const toolsLine = (tools: readonly string[]): string => `- Your tools: ${tools.join(", ")}. There are no others.`;

const MAY_BE_SILENT = `- If your task says when nothing is to be reported, and that is the case, return exactly ${SILENCE} as \`result\`.\n`;

/** For a child whose result is announced, and which may stay silent. Added once. */
export const withSilenceAllowed = (prompt: string): string =>
	prompt.includes(MAY_BE_SILENT) ? prompt : `${prompt}${MAY_BE_SILENT}`;
