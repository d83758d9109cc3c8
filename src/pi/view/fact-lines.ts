import { count, dollars, plural } from "../../run/amounts.ts";
import type { Drawing } from "./drawing.ts";
import { pack } from "./fitted.ts";
import type { ShownRun } from "./subagent-view.ts";

/** Facts side by side; a narrow terminal breaks between them. Coloured facts keep their colour. */
export function factLines(facts: readonly string[], { theme, width }: Drawing): string[] {
	return pack(
		facts.map((fact) => theme.fg("muted", fact)),
		theme.fg("dim", " · "),
		width,
	);
}

/** What a run has used so far, in the order of interest. */
export function consumption(facts: ShownRun, { expanded }: Drawing): string[] {
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
