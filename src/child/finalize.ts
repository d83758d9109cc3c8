import { defineTool, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { FINALIZE_TOOL, type Finalized } from "../run/outcome.ts";
import type { Corrections } from "./corrections.ts";
import type { CheckedResult } from "./result-check.ts";

/** The tool with which a child returns its answer, and that answer. The first valid call counts. */
export interface Finalization {
	tool: ToolDefinition;
	readonly answer: Finalized<string> | undefined;
	/** The result of the last invalid call: better than nothing for a child that never gets it right. */
	readonly rejectedResult: string | undefined;
}

export interface FinalizeRules {
	checkResult(result: string): Promise<CheckedResult>;
	/** The result can be neither accepted nor rejected: the check itself failed. */
	onUncheckable(problem: string, result: string): void;
	/** The names of all tools that were called in the same message. */
	calledTogether(): string[];
	corrections: Corrections;
}

/** One schema for all runs: pi compiles every schema that it has not seen before. */
const finalizeParameters = Type.Object(
	{
		status: Type.Union([Type.Literal("SUCCESS"), Type.Literal("ERROR")]),
		result: Type.Optional(Type.String()),
		error: Type.Optional(Type.String()),
	},
	{ additionalProperties: false },
);

export function finalization(rules: FinalizeRules): Finalization {
	let answer: Finalized<string> | undefined;
	let rejectedResult: string | undefined;
	/** Calls in the same message arrive together, and a check takes a while, so each call waits for the one before it. */
	let before: Promise<unknown> = Promise.resolve();
	const tool = defineTool({
		name: FINALIZE_TOOL,
		label: "Finalize",
		description:
			"End your work and return your answer. Call it exactly once, as your last action, on its own. " +
			"status SUCCESS needs `result`: the complete answer. status ERROR needs `error`: what went wrong; " +
			"`result` may then carry partial findings. Nothing you say outside of it is read.",
		parameters: finalizeParameters,
		execute(_id, call) {
			const handled = before.then(() => handle(call));
			before = handled.catch(() => {}); // That call reports its own failure.
			return handled;
		},
	});
	const handle = async (call: FinalizeCall) => {
		if (answer) return reply("Your work is finalized already. Stop here.", { endTurn: true });
		const checked = await whatIsWrong(call, rules);
		if ("status" in checked) {
			answer = checked;
			return reply("Finalized.", { endTurn: true });
		}
		rejectedResult = call.result;
		if ("uncheckable" in checked) {
			// No other result would fix the schema, so the model is not asked for one.
			rules.onUncheckable(checked.uncheckable, call.result ?? "");
			return reply(`\`result\` could not be checked: ${checked.uncheckable}.`, { endTurn: true });
		}
		// Once the last correction is used up, there is no point in asking the model again.
		return reply(checked.wrong, { endTurn: !rules.corrections.take(checked.wrong) });
	};
	return {
		tool,
		get answer() {
			return answer;
		},
		get rejectedResult() {
			return rejectedResult;
		},
	};
}

interface FinalizeCall {
	status: "SUCCESS" | "ERROR";
	result?: string;
	error?: string;
}

async function whatIsWrong(
	call: FinalizeCall,
	rules: FinalizeRules,
): Promise<Finalized<string> | { wrong: string } | { uncheckable: string }> {
	const others = rules.calledTogether().filter((name) => name !== FINALIZE_TOOL);
	if (others.length > 0) {
		return {
			wrong: `You called ${FINALIZE_TOOL} together with ${others.join(", ")}, before seeing what came of that. Look at the results first, then call it again on its own.`,
		};
	}
	const result = call.result?.trim() ? call.result : undefined;
	if (call.status === "ERROR") {
		if (!call.error?.trim()) return { wrong: "status ERROR needs a non-empty `error`. Call it again with one." };
		return { status: "ERROR", error: call.error, ...(result !== undefined && { result }) };
	}
	if (result === undefined) {
		return { wrong: "status SUCCESS needs a non-empty `result`. Call it again with your answer." };
	}
	const checked = await rules.checkResult(result);
	return "wrong" in checked || "uncheckable" in checked ? checked : { status: "SUCCESS", result, ...checked };
}

const reply = (text: string, { endTurn }: { endTurn: boolean }) => ({
	content: [{ type: "text" as const, text }],
	details: undefined,
	// Ends the turn without asking the model again.
	...(endTurn && { terminate: true }),
});
