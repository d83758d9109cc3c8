import { quoted } from "../run/quoted.ts";
import { type ChosenModel, withSource } from "./model.ts";
import type { ModelQuestion } from "./model-for.ts";
import { isInherit } from "./model-name.ts";
import type { FallbackModel, ModelChoice } from "./plan.ts";

/**
 * Each fallback is an attempt of its own, and no run should try more models than a user would read about in its warnings.
 */
const MOST_FALLBACKS = 10;

interface NamedFallbacks {
	from: string;
	names: readonly string[];
}

/** The list in the agent's file counts, even an empty one; otherwise the configured one. */
export function namedFallbacks({ agent, config }: Pick<ModelQuestion, "agent" | "config">): NamedFallbacks {
	if (agent.fallbackModels) return { from: `fallbackModels of ${agent.file}`, names: agent.fallbackModels };
	const { fallbackModels } = config.agents.defaults.subagents;
	return { from: "agents.defaults.subagents.fallbackModels", names: fallbackModels };
}

/** The models that a run continues with, one after the other, when the chosen one cannot be used. */
export async function fallbacksFor(
	question: ModelQuestion,
	chosen: ChosenModel,
): Promise<{ models: FallbackModel[]; warnings: string[] }> {
	const { from, names } = namedFallbacks(question);
	const { parent, principal } = question;
	const models: FallbackModel[] = [];
	const warnings: string[] = [];
	// Models that were tried in place of an unusable one have been reported.
	for (const name of names.filter((each) => !chosen.unusable.includes(each))) {
		const resolved = isInherit(name)
			? parent.model && { model: parent.model }
			: await parent.resolveModel(name, principal.agentDir);
		const source = resolved && (await parent.modelSource(resolved.model));
		if (!resolved || source?.kind === "unusable") {
			const why = source?.kind === "unusable" ? `comes from an extension, and ${source.why}` : "is not available";
			warnings.push(`The fallback model ${quoted(name)} of ${from} ${why}; it was left out. ${CORRECT_IT}`);
			continue;
		}
		if ([chosen.model, ...models].some((other) => isSame(other, resolved.model))) continue;
		const { thinking, warnings: surprises = [] } = resolved;
		models.push({ ...withSource(resolved.model, source), named: name, ...(thinking && { thinking }) });
		warnings.push(...surprises.map((surprise) => `A fallback model of ${from}: ${surprise}`));
	}
	if (models.length > MOST_FALLBACKS) {
		warnings.push(`${from} names ${models.length} models; only the first ${MOST_FALLBACKS} are used.`);
	}
	return { models: models.slice(0, MOST_FALLBACKS), warnings };
}

const CORRECT_IT = "Correct the name (`pi --list-models`), or log in to its provider.";

const isSame = (one: ModelChoice, other: ModelChoice): boolean =>
	one.provider === other.provider && one.id === other.id;
