import { exhaustedBudget } from "../../child/budget.ts";
import type { Limits } from "../../plan/plan.ts";
import { NO_USAGE, type Usage } from "../../run/usage.ts";

interface SharedUse {
	/** Usage of all runs of the conversation, as this machine knows it now. */
	all: Usage;
	/** Usage of this run. */
	own: Usage;
	/** Usage of the other runs when this one was posted: the worker got the remainder. Unknown after a restart. */
	othersWhenPosted: Usage | undefined;
}

/**
 * The budget for which this machine must stop a run. A worker knows how much of the shared budgets was left when the run
 * was posted. Only this machine knows what other runs have used since then.
 */
export function sharedBudgetSpent(limits: Limits, { all, own, othersWhenPosted }: SharedUse): string | undefined {
	if (Object.keys(limits.parentSession).length === 0) return undefined;
	const { maxTurns: _turns, maxTokens: _tokens, maxCostUsd: _cost, ...shared } = limits;
	const spentBy = (parentSession: Usage) => exhaustedBudget(shared, { run: NO_USAGE, parentSession });
	// If the run itself uses up what the worker got, the worker ends it, after a last turn of the child.
	if (othersWhenPosted && spentBy(combined(othersWhenPosted, own, (x, y) => x + y)) !== undefined) return undefined;
	return spentBy(all);
}

export const usageWithout = (all: Usage, own: Usage): Usage => combined(all, own, (x, y) => Math.max(0, x - y));

const combined = (a: Usage, b: Usage, how: (a: number, b: number) => number): Usage => ({
	input: how(a.input, b.input),
	output: how(a.output, b.output),
	cacheRead: how(a.cacheRead, b.cacheRead),
	cacheWrite: how(a.cacheWrite, b.cacheWrite),
	cost: how(a.cost, b.cost),
	turns: how(a.turns, b.turns),
});
