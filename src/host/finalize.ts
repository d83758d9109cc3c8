import { defineTool, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { FINALIZE_TOOL, type Finalized } from "../run/outcome.ts";

/** Holds what the child finalized. The first valid call counts. */
export interface Finalization {
	tool: ToolDefinition;
	readonly answer: Finalized | undefined;
}

export function finalization(checkResult: (result: string) => CheckedResult): Finalization {
	let answer: Finalized | undefined;
	const tool = defineTool({
		name: FINALIZE_TOOL,
		label: "Finalize",
		description:
			"End your work and hand over your answer. Call it exactly once, as your last action. " +
			"status SUCCESS needs `result`: the complete answer. status ERROR needs `error`: what went wrong; " +
			"`result` may then carry partial findings. Nothing you say outside of it is read.",
		parameters: Type.Object(
			{
				status: Type.Union([Type.Literal("SUCCESS"), Type.Literal("ERROR")]),
				result: Type.Optional(Type.String()),
				error: Type.Optional(Type.String()),
			},
			{ additionalProperties: false },
		),
		async execute(_id, call) {
			if (answer) return reply("Your work is finalized already. Stop here.", true);
			const checked = checkCall(call, checkResult);
			if ("wrong" in checked) return reply(checked.wrong, false);
			answer = checked;
			return reply("Finalized.", true);
		},
	});
	return {
		tool,
		get answer() {
			return answer;
		},
	};
}

export type CheckedResult = { value?: unknown } | { wrong: string };

interface FinalizeCall {
	status: "SUCCESS" | "ERROR";
	result?: string;
	error?: string;
}

function checkCall(call: FinalizeCall, checkResult: (result: string) => CheckedResult): Finalized | { wrong: string } {
	const result = call.result?.trim() ? call.result : undefined;
	if (call.status === "ERROR") {
		if (!call.error?.trim()) return { wrong: "status ERROR needs a non-empty `error`. Call it again with one." };
		return { status: "ERROR", error: call.error, ...(result !== undefined && { result }) };
	}
	if (result === undefined)
		return { wrong: "status SUCCESS needs a non-empty `result`. Call it again with your answer." };
	const checked = checkResult(result);
	return "wrong" in checked ? checked : { status: "SUCCESS", result, ...checked };
}

const reply = (text: string, terminate: boolean) => ({
	content: [{ type: "text" as const, text }],
	details: undefined,
	// Ends the turn without asking the model again.
	...(terminate && { terminate: true }),
});
