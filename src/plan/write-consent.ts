import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import type { ParentFacts } from "./launch.ts";
import { effectiveTools, writingTools } from "./tools.ts";

type Tools = ReturnType<typeof effectiveTools>;

/**
 * The tools of a child. If the user's consent could give it more of the tools it asks for, the user is asked first. Consent
 * cannot do that under `sandbox.mode: require`, or in a pool.
 */
export async function toolsWithConsent(
	agent: AgentDefinition,
	parent: Pick<ParentFacts, "activeTools" | "knownTools" | "isAbsent" | "askToWrite">,
	{ config, inTree, inPool }: { config: Config; inTree: boolean; inPool: boolean },
): Promise<Tools | Refusal> {
	const { activeTools: active, knownTools: known, isAbsent = false } = parent;
	const question = { agent, config, active, known, onRecord: isAbsent, inTree, inPool };
	const writes = writingTools(question);
	if (writes.length === 0) return effectiveTools(question);
	const consent = await parent.askToWrite(agent, writes);
	if (consent === undefined) {
		const message = `Stopped while the user was asked whether ${agent.name} may write. Nothing was started.`;
		return refuse("SUBAGENT_FAILED", message, "stopped");
	}
	return effectiveTools({ ...question, consent });
}
