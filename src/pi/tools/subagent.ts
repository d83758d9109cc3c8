import { defineTool, type ExtensionAPI, type ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import type { AgentDefinition } from "../../agents/definition.ts";
import { delegate } from "../../delegate.ts";
import { refusalResult } from "../../deliver/tool-result.ts";
import { refuse } from "../../run/errors.ts";
import { parentFacts } from "../parent-facts.ts";
import type { SessionServices } from "../session-services.ts";

const parameters = Type.Object(
	{
		agent: Type.String({ minLength: 1, description: "Name of the agent" }),
		task: Type.String({ minLength: 1, description: "What it should do. It sees nothing of this conversation." }),
		sessionId: Type.Optional(Type.String({ description: "Continue this child session" })),
	},
	{ additionalProperties: false },
);

export interface SubagentToolSetup {
	pi: ExtensionAPI;
	services: SessionServices;
	/** Those to name in the description. */
	agents: AgentDefinition[];
	approveProjectAgent: (ctx: ExtensionContext, agent: AgentDefinition) => Promise<boolean>;
}

/** The `subagent` tool: delegate a task and wait for the answer. */
export function subagentTool({ pi, services, agents, approveProjectAgent }: SubagentToolSetup) {
	return defineTool({
		name: "subagent",
		label: "Subagent",
		description: `Delegate a focused task to a subagent with its own context, and get its answer. Several calls in one message run side by side. Agents:\n${agents.map(inOneLine).join("\n")}`,
		parameters,
		async execute(toolCall, request, signal, onUpdate, ctx) {
			try {
				return await services.use(ctx, (available) =>
					delegate(
						{
							...request,
							parentSession: ctx.sessionManager.getSessionId(),
							toolCall,
							signal,
							onUpdate: (partial) => onUpdate?.(partial),
						},
						parentFacts(pi, ctx, (agent) => approveProjectAgent(ctx, agent)),
						available,
					),
				);
			} catch (error) {
				// Something of ours is broken: a ledger that cannot be opened, a disk that is full. Still a result.
				return refusalResult(
					refuse("SUBAGENT_FAILED", error instanceof Error ? error.message : String(error), "internal"),
				);
			}
		},
	});
}

const DESCRIPTION_CHARS = 90;

function inOneLine({ name, description }: AgentDefinition): string {
	const line = description.replace(/\s+/g, " ").trim();
	const short = line.length > DESCRIPTION_CHARS ? `${line.slice(0, DESCRIPTION_CHARS - 1)}…` : line;
	return short === "" ? `- ${name}` : `- ${name}: ${short}`;
}
