import type { TSchema } from "typebox";
import { Value } from "typebox/value";

export type CheckedResult = { value?: unknown } | { wrong: string };

/** Enough to mend a result by; a model does not need the four hundredth error of an array. */
const MAX_ERRORS = 10;

/** Checks a finalized result against the agent's output schema, if it has one. */
export function resultCheck(outputSchema: Record<string, unknown> | undefined): (result: string) => CheckedResult {
	if (!outputSchema) return () => ({});
	const schema = outputSchema as TSchema;
	return (result) => {
		const parsed = parse(result);
		if ("wrong" in parsed) return parsed;
		const errors = Value.Errors(schema, parsed.value).slice(0, MAX_ERRORS);
		if (errors.length === 0) return parsed;
		const list = errors.map(({ instancePath, message }) => `- ${instancePath || "/"}: ${message}`).join("\n");
		return { wrong: `\`result\` does not satisfy the JSON Schema:\n${list}\nMend it and call the tool again.` };
	};
}

function parse(result: string): { value: unknown } | { wrong: string } {
	try {
		return { value: JSON.parse(result) };
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return {
			wrong: `\`result\` must be JSON text and nothing else: ${error.message}. Mend it and call the tool again.`,
		};
	}
}
