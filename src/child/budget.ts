import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { Limits } from "../plan/plan.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import type { Usage } from "../run/usage.ts";

/** What a run has used so far, by itself and with its siblings. */
export interface Spending {
	run: Usage;
	/** Usage of all runs of the same parent session. */
	parentSession: Usage;
}

/** From this share of a budget on, the child is asked to finish. */
const NEARLY_SPENT = 0.8;

/** Counts fresh tokens only: every turn reads the earlier ones from the cache again, so a limit on them would mean little. */
const tokensOf = (usage: Usage): number => usage.input + usage.output + usage.cacheWrite;

/** free: continue. low: say so. last: one more turn. spent: none. `what` names the limit. */
export type BudgetState = { stage: "free" } | { stage: "low" | "last" | "spent"; what: string };

/** The budget that is used up, if any. A run with one must not start or continue. */
export function exhaustedBudget(limits: Limits, spending: Spending): string | undefined {
	const state = budgetState(limits, spending);
	const overAmount = amounts(limits, spending).find(({ used, limit }) => used >= limit);
	return state.stage === "spent" ? state.what : overAmount?.what;
}

function amounts(limits: Limits, spending: Spending): { used: number; limit: number; what: string }[] {
	return [
		{ used: tokensOf(spending.run), limit: limits.maxTokens, unit: "tokens (maxTokens)" },
		{ used: spending.run.cost, limit: limits.maxCostUsd, unit: "US dollars (maxCostUsd)" },
		{
			used: tokensOf(spending.parentSession),
			limit: limits.parentSession.maxTokens,
			unit: "tokens for all subagents of the session (subagents.session.maxTokens)",
		},
		{
			used: spending.parentSession.cost,
			limit: limits.parentSession.maxCostUsd,
			unit: "US dollars for all subagents of the session (subagents.session.maxCostUsd)",
		},
	].flatMap(({ used, limit, unit }) => (limit === undefined ? [] : [{ used, limit, what: `${limit} ${unit}` }]));
}

/** How much of its budgets a run has left before its next model call. */
function budgetState(limits: Limits, spending: Spending): BudgetState {
	const budgets = amounts(limits, spending);
	const turns = spending.run.turns;
	const maxTurns = limits.maxTurns ?? Number.POSITIVE_INFINITY;
	const whatTurns = `${maxTurns} turns (maxTurns)`;

	if (turns >= maxTurns) return { stage: "spent", what: whatTurns };
	const reached = budgets.find(({ used, limit }) => used >= limit);
	if (reached) return { stage: "last", what: reached.what };
	// Unlike other budgets, turns can be counted in advance, so the last one is still within the limit.
	if (turns === maxTurns - 1 && turns > 0) return { stage: "last", what: whatTurns };
	const low = budgets.find(({ used, limit }) => used >= limit * NEARLY_SPENT);
	if (low) return { stage: "low", what: low.what };
	return turns >= maxTurns * NEARLY_SPENT ? { stage: "low", what: whatTurns } : { stage: "free" };
}

/** Watches the budgets from inside the child: at the end of each turn, before the next model call. */
export function budgetGuard(guard: {
	limits: Limits;
	spending: () => Spending;
	isFinalized: () => boolean;
	onSpent: (what: string) => void;
}): ExtensionFactory {
	let lastNote: "none" | "low" | "last" = "none";
	return (pi) => {
		pi.on("turn_end", (event) => {
			if (guard.isFinalized()) return;
			const state = budgetState(guard.limits, guard.spending());
			if (state.stage === "free") return;
			if (state.stage === "spent" || lastNote === "last") return guard.onSpent(state.what);
			if (state.stage === lastNote) return;
			lastNote = state.stage;
			const content = state.stage === "last" ? LAST_TURN(state.what) : WRAP_UP(state.what);
			const note = { type: "custom_message" as const, customType: "pi-geon:budget", content, display: true };
			return { entries: [...event.entries, note] };
		});
	};
}

const WRAP_UP = (what: string) =>
	`Your budget of ${what} is nearly used up. Come to an end now, and call ${FINALIZE_TOOL} with what you have.`;

const LAST_TURN = (what: string) =>
	`Your budget of ${what} is used up. This is your last turn: call ${FINALIZE_TOOL} now, with what you have. Anything else is lost.`;
