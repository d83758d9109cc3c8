import { fallbacksFor, namedFallbacks } from "../plan/fallbacks.ts";
import { type ModelQuestion, modelFor } from "../plan/model-for.ts";
import { isInherit } from "../plan/model-name.ts";
import { isRefusal } from "../run/errors.ts";
import type { Agent } from "./tools-here.ts";

/** Which model a child of an agent works with if it is started here and now. */
export interface ModelHere {
	/** What was asked for, and what becomes of it. */
	words: string;
	/** The models to continue with when that one cannot be used. */
	fallbacks: readonly string[];
	/** What planning says about it. */
	warnings: string[];
	/** Whether planning was asked: outside of pi it is not known which models there are. */
	isChecked: boolean;
}

/** In pi: the answer of planning itself. */
export async function modelInPi(question: ModelQuestion): Promise<ModelHere> {
	const { agent, config, parent } = question;
	const chosen = await modelFor(question);
	if (isRefusal(chosen)) {
		return { words: asked(agent, config), fallbacks: [], warnings: [chosen.error.message], isChecked: true };
	}
	const fallbacks = await fallbacksFor(question, chosen);
	const { provider, id } = chosen.model;
	const taken = `${provider}/${id}`;
	const isParents = parent.model?.provider === provider && parent.model.id === id;
	const wanted = asked(agent, config);
	const words =
		wanted === taken ? taken : `${wanted} (${taken}${isParents && wanted !== PARENTS ? ", the parent's" : ""})`;
	return {
		words,
		fallbacks: fallbacks.models.map((model) => `${model.provider}/${model.id}`),
		warnings: [...chosen.warnings, ...fallbacks.warnings],
		isChecked: true,
	};
}

/** What the files say, for an agent that does not run. */
export const modelOfOff = (agent: Agent, config: ModelQuestion["config"]): ModelHere => ({
	words: asked(agent, config),
	fallbacks: namedFallbacks({ agent, config }).names,
	warnings: [],
	isChecked: false,
});

/** Outside of pi: what is written in the files, and that no more is known. */
export function modelInShell(agent: Agent, config: ModelQuestion["config"]): ModelHere {
	const wanted = asked(agent, config);
	const unknown = wanted === PARENTS ? "" : " (only pi knows whether it can be used: see /toolkit agents)";
	return { ...modelOfOff(agent, config), words: `${wanted}${unknown}` };
}

const PARENTS = "the parent's";

function asked({ model }: Agent, { agents }: ModelQuestion["config"]): string {
	const byDefault = agents.defaults.subagents.model;
	if (model !== undefined) return isInherit(model) ? PARENTS : model;
	return byDefault === null || isInherit(byDefault) ? PARENTS : `${byDefault}, from pi-geon.json`;
}
