import type { CheckedResult } from "./finalize.ts";

/** Checks a finalized result against the agent's output schema, if it has one. */
export function resultCheck(outputSchema: Record<string, unknown> | undefined): (result: string) => CheckedResult {
	if (!outputSchema) return () => ({});
	throw new Error("not yet");
}
