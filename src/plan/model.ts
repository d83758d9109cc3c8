import { type Refusal, refuse } from "../run/errors.ts";
import { quoted } from "../run/quoted.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { ModelChoice } from "./plan.ts";

export interface ResolvedModel {
	model: ModelChoice;
	/** Where the name said so, as in `sonnet:high`. */
	thinking?: ThinkingLevel;
}

/** Who named a model, in the order of precedence. */
export interface ModelWish {
	from: string;
	name: string | null | undefined;
}

/** The first wish that names a usable model, else the parent's. A wish that does not is a warning, never a silence. */
export async function chooseModel(
	wishes: ModelWish[],
	parent: ModelChoice | undefined,
	resolve: (name: string) => Promise<ResolvedModel | undefined>,
): Promise<(ResolvedModel & { warnings: string[] }) | Refusal> {
	const warnings: string[] = [];
	for (const { from, name } of wishes) {
		if (!name) continue;
		const resolved = await resolve(name);
		if (resolved) return { ...resolved, warnings };
		warnings.push(`The model ${quoted(name)} of ${from} is not available; the next in line was used.`);
	}
	if (!parent) {
		return refuse("SUBAGENT_FAILED", "There is no model to run it with. Choose one with /model or /login.", "no_model");
	}
	return { model: parent, warnings };
}
