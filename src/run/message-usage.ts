import { isRecord } from "./is-record.ts";
import type { Usage } from "./usage.ts";

/** What pi says that one message has used. A number that is none counts as nothing. */
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
