import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../agents/definition.ts";
import { inTurn } from "./ask-user.ts";

/** Asks the user once a session about each agent of a project that is not trusted. An edited file is asked about anew. */
export function projectAgentApprovals(): (ctx: ExtensionContext, agent: AgentDefinition) => Promise<boolean> {
	const answers = new Map<string, Promise<boolean>>();
	return (ctx, agent) => {
		if (!ctx.hasUI) return Promise.resolve(false);
		const key = `${agent.file} ${agent.digest}`;
		const known = answers.get(key);
		if (known) return known;
		const question = `Run the project's agent "${agent.name}"?`;
		const why = `This project is not trusted. The agent's instructions come from\n${agent.file}`;
		const answer = inTurn(() => ctx.ui.confirm(question, why)).then((yes) => yes === true);
		answers.set(key, answer);
		return answer;
	};
}
