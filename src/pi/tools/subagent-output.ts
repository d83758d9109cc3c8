import { Type } from "typebox";

/** The value for a script of pi's codemode: see `ScriptValue`. pi shows it to the model where scripts are on. */
export const subagentOutput = Type.Object({
	status: Type.Union([Type.Literal("SUCCESS"), Type.Literal("ERROR"), Type.Literal("RUNNING")]),
	sessionId: Type.Optional(Type.String()),
	runId: Type.Optional(Type.String()),
	output: Type.Optional(Type.String({ description: "The whole answer" })),
	value: Type.Optional(Type.Unknown({ description: "The answer as data, if the agent has an outputSchema" })),
	error: Type.Optional(
		Type.Object({ code: Type.String(), message: Type.String(), reason: Type.Optional(Type.String()) }),
	),
	warnings: Type.Optional(Type.Array(Type.String())),
	usage: Type.Record(Type.String(), Type.Number()),
	changes: Type.Optional(
		Type.Object(
			{
				commit: Type.Union([Type.String(), Type.Null()]),
				files: Type.Array(
					Type.Object({ path: Type.String(), status: Type.String(), added: Type.Number(), removed: Type.Number() }),
				),
				total: Type.Object({ files: Type.Number(), added: Type.Number(), removed: Type.Number() }),
			},
			{ description: "What it changed in its copy; none of it is in the checkout yet" },
		),
	),
});
