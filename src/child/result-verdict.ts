import type { TSchema } from "typebox";
import { Errors } from "typebox/value";
import { DEEPEST_RESULT } from "../collect/redact/redact-value.ts";

/** Enough to fix a result: a model does not need the four hundredth error of an array. */
const MAX_ERRORS = 10;

/** What is wrong with a result, for the child to read; undefined if it satisfies the schema. */
export function verdictOn(outputSchema: Record<string, unknown>, result: string): string | undefined {
	let value: unknown;
	try {
		value = JSON.parse(result);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return `\`result\` must be JSON text and nothing else: ${error.message}. Fix it and call the tool again.`;
	}
	if (isDeeperThan(DEEPEST_RESULT, value)) {
		return `\`result\` is nested more than ${DEEPEST_RESULT} levels deep. Make it flatter and call the tool again.`;
	}
	const errors = Errors(outputSchema as TSchema, value).slice(0, MAX_ERRORS);
	if (errors.length === 0) return undefined;
	const list = errors.map(({ instancePath, message }) => `- ${instancePath || "/"}: ${message}`).join("\n");
	return `\`result\` does not satisfy the JSON Schema:\n${list}\nFix it and call the tool again.`;
}

/** Works level by level, because it protects against too deep recursion. */
function isDeeperThan(levels: number, value: unknown): boolean {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > levels) return true;
		level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
	}
	return false;
}
