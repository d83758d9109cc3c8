import type { Theme } from "@earendil-works/pi-coding-agent";
import { count, dollars, plural } from "./amounts.ts";
import { pack } from "./fitted.ts";
import type { Facts } from "./subagent-view.ts";

/** What a run took so far, in the order of interest: a narrow terminal breaks between them. */
export function factsOf(facts: Facts, expanded: boolean): string[] {
	const { turns, input, output, cacheRead, cost, context, model } = facts;
	return [
		turns > 0 && plural(turns, "turn"),
		input + output > 0 && `${count(input)} in / ${count(output)} out`,
		expanded && cacheRead > 0 && `${count(cacheRead)} cached`,
		cost > 0 && dollars(cost),
		context && `${percent(context)} ${expanded ? `of ${count(context.window)} ` : ""}context`,
		model,
	].filter((fact) => typeof fact === "string");
}

const percent = ({ tokens, window }: { tokens: number; window: number }): string =>
	`${Math.round((100 * tokens) / window)}%`;

/** The state of the run, already coloured, and what there is to say about it. */
export function factLines(state: string, facts: readonly string[], theme: Theme, width: number): string[] {
	return pack([state, ...facts.map((fact) => theme.fg("muted", fact))], theme.fg("dim", " · "), width);
}
