import type { SubagentDetails } from "../../src/deliver/details.ts";
import { type Step, toolCall } from "../helpers/model-steps.ts";
import type { Prompted } from "../helpers/prompt-pi.ts";

/** What a parent's model says to delegate, and what a child's model says to return. */
export const delegateTo = (agent: string, task: string, sessionId?: string): Step =>
	toolCall("subagent", { agent, task, ...(sessionId !== undefined && { sessionId }) });

export const finalize = (result: string): Step => toolCall("subagent_finalize", { status: "SUCCESS", result });

/** The details of each delegation in a pi run, in order of their ending. */
export const delegations = (run: Pick<Prompted, "toolResults">): SubagentDetails[] =>
	run.toolResults.filter(({ name }) => name === "subagent").map(({ details }) => details as SubagentDetails);
