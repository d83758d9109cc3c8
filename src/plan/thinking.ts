import type { AgentDefinition } from "../agents/definition.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { SessionChoice } from "./continued.ts";
import type { ParentFacts } from "./launch.ts";
import type { ChosenModel } from "./model.ts";

interface ThinkingQuestion extends Partial<Pick<SessionChoice, "last" | "changed">> {
	/** The level that the request names. */
	requested?: ThinkingLevel | undefined;
	agent: Pick<AgentDefinition, "thinking" | "file">;
	chosen: Pick<ChosenModel, "model" | "thinking">;
	/** The level in the configuration. */
	byDefault: ThinkingLevel | null;
	parent: Pick<ParentFacts, "thinking" | "thinkingWith">;
}

/**
 * The thinking level of a run, by precedence. A level that was asked for by name and that the model does not have is a
 * warning; a default or inherited level adapts to the model without one.
 */
export function thinkingFor(question: ThinkingQuestion): { thinking?: ThinkingLevel; warnings: string[] } {
	const { requested, agent, chosen, last, changed, byDefault, parent } = question;
	const wishes: { level: ThinkingLevel | null | undefined; from?: string }[] = [
		{ level: requested, from: "the request" },
		{ level: changed ? undefined : last?.thinking },
		{ level: agent.thinking, from: agent.file },
		{ level: chosen.thinking, from: "the model's name" },
		{ level: last?.thinking },
		{ level: byDefault },
		{ level: parent.thinking },
	];
	const first = wishes.find(({ level }) => level !== undefined && level !== null);
	const thinking = first?.level;
	if (!thinking) return { warnings: [] };
	const { provider, id } = chosen.model;
	const used = first.from === undefined ? thinking : (parent.thinkingWith?.(chosen.model, thinking) ?? thinking);
	if (used === thinking) return { thinking, warnings: [] };
	const warning = `The thinking level ${thinking} of ${first.from} is not available with ${provider}/${id}; ${used} was used instead.`;
	return { thinking, warnings: [warning] };
}
