import { isRecord } from "./is-record.ts";
import type { Usage } from "./usage.ts";

/** The usage that pi reports for one message. A value that is not a number counts as 0. */
export function usageInMessage(usage: unknown): Omit<Usage, "turns"> {
	const numbers = isRecord(usage) ? usage : {};
	const cost = isRecord(numbers.cost) ? numbers.cost.total : undefined;
	return {
		input: amountIn(numbers.input),
		output: amountIn(numbers.output),
		cacheRead: amountIn(numbers.cacheRead),
		cacheWrite: amountIn(numbers.cacheWrite),
		cost: amountIn(cost),
	};
}

const amountIn = (value: unknown): number =>
	typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
