import { type Refusal, refuse } from "../run/errors.ts";
import { quoted } from "../run/quoted.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { ParentFacts } from "./launch.ts";
import { isInherit } from "./model-name.ts";
import type { ModelChoice } from "./plan.ts";

export interface ResolvedModel {
	model: ModelChoice;
	/** Set if the name included it, as in `sonnet:high`. */
	thinking?: ThinkingLevel;
	/** The parts of the name that were not understood. */
	warnings?: string[];
}

/** Where a child gets a model from: pi knows it, some extensions register its provider, or it is not available. */
export type ModelSource =
	| { kind: "pi"; warning?: string }
	| { kind: "extensions"; files: string[] }
	| { kind: "unusable"; why: string };

/** Who named a model, in the order of precedence. */
export interface ModelWish {
	from: string;
	name: string | null | undefined;
	/** The warnings that were given when it was chosen for the last run. */
	warnings?: string[] | undefined;
}

/** The model of a run, and how it was chosen. */
export interface ChosenModel extends Pick<ResolvedModel, "thinking"> {
	model: ModelChoice;
	warnings: string[];
	/** The names of earlier choices that cannot be used, each with a warning. */
	unusable: string[];
}

/**
 * The first wish that names a usable model, or else the parent's. A wish that does not is a warning, and never ignored
 * silently.
 */
export async function chooseModel(
	wishes: ModelWish[],
	parent: Pick<ParentFacts, "model" | "modelSource">,
	resolve: (name: string) => Promise<ResolvedModel | undefined>,
): Promise<ChosenModel | Refusal> {
	const passedOver: string[] = [];
	const unusable: string[] = [];
	for (const { from, name, warnings: before = [] } of wishes) {
		if (name === undefined || name === null) continue;
		if (isInherit(name)) break;
		if (name.trim() === "") {
			passedOver.push(`The model of ${from} is empty`);
			continue;
		}
		const resolved = await resolve(name);
		const source = resolved && (await parent.modelSource(resolved.model));
		if (resolved && source?.kind !== "unusable") {
			const surprises = [...(resolved.warnings ?? []), ...warningOf(source)];
			const said = surprises
				.filter((warning) => !before.some((earlier) => earlier.endsWith(warning)))
				.map((warning) => `The model of ${from}: ${warning}`);
			const { thinking } = resolved;
			return {
				model: withSource(resolved.model, source),
				...(thinking && { thinking }),
				warnings: [...usedInstead(passedOver, resolved.model), ...before, ...said],
				unusable,
			};
		}
		const why = source?.kind === "unusable" ? `comes from an extension, and ${source.why}` : "is not available";
		passedOver.push(`The model ${quoted(name)} of ${from} ${why}`);
		unusable.push(name);
	}
	const { model } = parent;
	if (!model) {
		return refuse("SUBAGENT_FAILED", "There is no model to run it with. Choose one with /model or /login.", "no_model");
	}
	const source = await parent.modelSource(model);
	if (source.kind === "unusable") {
		return refuse(
			"SUBAGENT_FAILED",
			`The model of this session, ${model.provider}/${model.id}, comes from an extension, and ${source.why}. ` +
				"Make the extension register it while it is loaded, or give subagents another model: " +
				"agents.defaults.subagents.model in pi-geon.json.",
			"no_model",
		);
	}
	return {
		model: withSource(model, source),
		warnings: [...usedInstead(passedOver, model), ...warningOf(source)],
		unusable,
	};
}

const usedInstead = (passedOver: readonly string[], { provider, id }: ModelChoice): string[] =>
	passedOver.map((why) => `${why}; ${provider}/${id} was used instead.`);

export const withSource = ({ provider, id }: ModelChoice, source: ModelSource | undefined): ModelChoice => ({
	provider,
	id,
	...(source?.kind === "extensions" && { extensions: source.files }),
});

const warningOf = (source: ModelSource | undefined): string[] =>
	source?.kind === "pi" && source.warning !== undefined ? [source.warning] : [];
