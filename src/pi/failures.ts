import type { ToolResultEvent, ToolResultEventResult } from "@earendil-works/pi-coding-agent";
import type { SubagentDetails } from "../deliver/details.ts";

/** A delegation that failed is marked as failed, for the model and on the screen, and keeps all it has to tell. */
export function markFailure({ toolName, details }: ToolResultEvent): ToolResultEventResult | undefined {
	if (toolName !== "subagent" || !isDelegation(details)) return undefined;
	const [result] = details.results;
	const failed = result ? result.exitCode !== 0 : details.error !== undefined;
	return failed ? { isError: true } : undefined;
}

const isDelegation = (details: unknown): details is SubagentDetails =>
	typeof details === "object" && details !== null && "results" in details && Array.isArray(details.results);
