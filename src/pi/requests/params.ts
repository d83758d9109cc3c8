import { type TSchema, Type } from "typebox";
import { Errors } from "typebox/value";
import type { SubagentsMethod } from "../../operate/requests.ts";
import { STARTING_CONTEXTS } from "../../run/starting-context.ts";
import { THINKING_LEVELS } from "../../run/thinking.ts";

const someText = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };

/** The parameters of each method; the types are in `operate/requests.ts`. */
const PARAMS: Record<SubagentsMethod, TSchema> = {
	spawn: Type.Object(
		{
			task: someText,
			agent: Type.Optional(someText),
			agentId: Type.Optional(someText),
			label: Type.Optional(someText),
			model: Type.Optional(someText),
			thinking: Type.Optional(Type.Union(THINKING_LEVELS.map((level) => Type.Literal(level)))),
			runTimeoutSeconds: Type.Optional(Type.Number({ minimum: 0 })),
			context: Type.Optional(Type.Enum([...STARTING_CONTEXTS])),
			isolation: Type.Optional(Type.Literal("worktree")),
			pool: Type.Optional(someText),
			cleanup: Type.Optional(Type.Union([Type.Literal("keep"), Type.Literal("delete")])),
		},
		strict,
	),
	wait: Type.Object({ runId: someText, timeoutMs: Type.Optional(Type.Number({ minimum: 0 })) }, strict),
	send: Type.Object({ sessionKey: Type.Optional(someText), label: Type.Optional(someText), message: someText }, strict),
	stop: Type.Object({ runId: someText }, strict),
	list: Type.Object(
		{
			kinds: Type.Optional(Type.Array(Type.Union([Type.Literal("foreground"), Type.Literal("background")]))),
			limit: Type.Optional(Type.Number()),
			activeMinutes: Type.Optional(Type.Number()),
			messageLimit: Type.Optional(Type.Number()),
		},
		strict,
	),
};

export const METHODS = Object.keys(PARAMS) as SubagentsMethod[];

/** The problem with the parameters of a method, if any. */
export function paramsProblem(method: SubagentsMethod, params: unknown): string | undefined {
	const [first] = Errors(PARAMS[method], params);
	if (!first) return undefined;
	const allowed = "allowedValues" in first.params ? `: ${[first.params.allowedValues].flat().join(", ")}` : "";
	return `params${first.instancePath}: ${first.message}${allowed}`;
}
