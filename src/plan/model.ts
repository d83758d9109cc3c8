import { type Refusal, refuse } from "../run/errors.ts";
import { quoted } from "../run/quoted.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { ParentFacts } from "./launch.ts";
import { isInherit } from "./model-name.ts";
import type { ModelChoice } from "./plan.ts";

export interface ResolvedModel {
	model: ModelChoice;
	/** Where the name said so, as in `sonnet:high`. */
	thinking?: ThinkingLevel;
	/** What of the name was not understood. */
	warnings?: string[];
}

/** Who named a model, in the order of precedence. */
export interface ModelWish {
	from: string;
	name: string | null | undefined;
}

/** The first wish that names a usable model, else the parent's. A wish that does not is a warning, never a silence. */
export async function chooseModel(
	wishes: ModelWish[],
	parent: Pick<ParentFacts, "model" | "isKnownToHosts">,
	resolve: (name: string) => Promise<ResolvedModel | undefined>,
): Promise<(Required<Pick<ResolvedModel, "model" | "warnings">> & Pick<ResolvedModel, "thinking">) | Refusal> {
	const warnings: string[] = [];
	for (const { from, name } of wishes) {
		if (name === undefined || name === null) continue;
		if (isInherit(name)) break;
		if (name.trim() === "") {
			warnings.push(`The model of ${from} is empty; the next in line was used.`);
			continue;
		}
		const resolved = await resolve(name);
		const usable = resolved && (await parent.isKnownToHosts(resolved.model));
		if (usable) {
			const surprises = (resolved.warnings ?? []).map((warning) => `The model of ${from}: ${warning}`);
			return { ...resolved, warnings: [...warnings, ...surprises] };
		}
		const why = resolved ? "comes from an extension, which subagents do not load" : "is not available";
		warnings.push(`The model ${quoted(name)} of ${from} ${why}; the next in line was used.`);
	}
	const { model } = parent;
	if (!model) {
		return refuse("SUBAGENT_FAILED", "There is no model to run it with. Choose one with /model or /login.", "no_model");
	}
	if (!(await parent.isKnownToHosts(model))) {
		return refuse(
			"SUBAGENT_FAILED",
			`The model of this session, ${model.provider}/${model.id}, comes from an extension, which subagents do not load. ` +
				"Give them one of pi's own or of models.json: agents.defaults.subagents.model in pi-geon.json.",
			"no_model",
		);
	}
	return { model, warnings };
}
