import { fallbacksFor, namedFallbacks } from "../plan/fallbacks.ts";
import type { ChosenModel } from "../plan/model.ts";
import { type ModelQuestion, modelFor } from "../plan/model-for.ts";
import { isInherit } from "../plan/model-name.ts";
import { thinkingFor } from "../plan/thinking.ts";
import { isRefusal } from "../run/errors.ts";
import type { Agent } from "./tools-here.ts";

/** The model that an agent's child would get here and now. */
export interface ModelHere {
	/** The requested model, and what it resolves to. */
	words: string;
	/** The models to continue with when that one cannot be used. */
	fallbacks: readonly string[];
	/** The warnings of planning. */
	warnings: string[];
	/** Whether planning checked it: outside pi, the available models are unknown. */
	isChecked: boolean;
}

/** In pi: the result of planning itself. */
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
		warnings: [...chosen.warnings, ...ofThinking(question, chosen), ...fallbacks.warnings],
		isChecked: true,
	};
}

/** What planning says about the thinking level of an agent, for a check that names the models itself. */
export async function thinkingWarnings(question: ModelQuestion): Promise<string[]> {
	const chosen = await modelFor(question);
	return isRefusal(chosen) ? [] : ofThinking(question, chosen);
}

const ofThinking = ({ agent, parent }: ModelQuestion, chosen: ChosenModel): string[] =>
	thinkingFor({ agent, chosen, byDefault: null, parent: { ...parent, thinking: undefined } }).warnings;

/** The settings in the files, for a disabled agent. */
export const modelOfOff = (agent: Agent, config: ModelQuestion["config"]): ModelHere => ({
	words: asked(agent, config),
	fallbacks: namedFallbacks({ agent, config }).names,
	warnings: [],
	isChecked: false,
});

/** Outside pi: the settings in the files, with a note that only pi knows more. */
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
