import type { AgentDefinition } from "../agents/definition.ts";
import type { Refusal } from "../run/errors.ts";
import type { LaunchRequest, ParentFacts, PlanSources } from "./launch.ts";
import type { ChildSession, ModelChoice, Principal } from "./plan.ts";
import { forkFile } from "./session-place.ts";

/** What was said in the parent's session, for a child that starts from a copy of it. */
export interface ParentConversation {
	/** Whether anything was said before that call. */
	isEmpty(toolCall: string | undefined): boolean;
	/** Writes the conversation before that call to `session.fork`, which is not read before the run is admitted. */
	copy(to: {
		session: ChildSession & { fork: string };
		cwd: string;
		toolCall: string | undefined;
	}): Promise<Refusal | undefined>;
	/** Removes a copy that no run was admitted for. */
	discard(fork: string): void;
}

interface ForkQuestion {
	request: Pick<LaunchRequest, "context" | "toolCall" | "sessionId">;
	agent: AgentDefinition;
	principal: Principal;
	parent: Pick<ParentFacts, "conversation" | "model">;
	/** All models that the run may use. */
	models: readonly ModelChoice[];
	session: ChildSession;
}

/** The session with the path of its copy, if it should begin with one. A continued session stays as it is. */
export function forkFor(
	{ request, agent, principal, parent, models, session }: ForkQuestion,
	{ agentDir }: Pick<PlanSources, "agentDir">,
): { session: ChildSession; warnings: string[] } {
	const { context = agent.context, toolCall, sessionId } = request;
	if (context !== "fork" || sessionId !== undefined) return { session, warnings: [] };
	if (parent.conversation === undefined || parent.conversation.isEmpty(toolCall)) {
		return {
			session,
			warnings: [`${agent.name} started without a copy of the conversation (context: fork): there is none yet.`],
		};
	}
	return {
		session: { ...session, fork: forkFile(agentDir, session.id) },
		warnings: goesElsewhere({ agent, principal, parent, models }),
	};
}

/** By choosing the parent's model, the user chose which provider reads this conversation. */
function goesElsewhere({ agent, principal, parent, models }: Omit<ForkQuestion, "request" | "session">): string[] {
	const others = models.filter(({ provider }) => provider !== parent.model?.provider);
	const providers = [...new Set(others.map(({ provider }) => provider))].join(", ");
	const why = `${agent.name} starts from a copy of it (context: fork)`;
	if (providers === "") {
		if (principal.agentDir === undefined) return [];
		return [`The conversation goes to the account of agentId ${principal.id}: ${why}.`];
	}
	const [first] = models;
	const when = others.some((model) => model === first) ? "" : " if its own model cannot be used";
	return [`The conversation goes to another provider, ${providers}${when}: ${why}.`];
}
