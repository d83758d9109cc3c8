import type { ToolResultEvent, ToolResultEventResult } from "@earendil-works/pi-coding-agent";
import type { SubagentDetails } from "../deliver/details.ts";
import { isDenial } from "../operate/denial.ts";
import { isRecord } from "../run/is-record.ts";

const SESSION_TOOLS = [
	"sessions_spawn",
	"sessions_send",
	"sessions_list",
	"sessions_history",
	"sessions_apply",
	"agents_list",
];

/** Marks a failed or refused call as failed, for the model and on the screen. Its details stay. */
export function markFailure({ toolName, details }: ToolResultEvent): ToolResultEventResult | undefined {
	const failed =
		toolName === "subagent"
			? isDelegation(details) && runFailed(details)
			: SESSION_TOOLS.includes(toolName) && isRecord(details) && isDenial(details);
	return failed ? { isError: true } : undefined;
}

function runFailed({ results: [result], error }: SubagentDetails): boolean {
	return result ? result.exitCode !== 0 : error !== undefined;
}

const isDelegation = (details: unknown): details is SubagentDetails =>
	typeof details === "object" && details !== null && "results" in details && Array.isArray(details.results);
