import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../agents/definition.ts";
import { inOneLine } from "../collect/plain.ts";
import { inTurn } from "./dialog-line.ts";

/**
 * Asks the user once a session about each agent of a project that is not trusted. An edited file is asked about anew.
 * Whoever aborts what needs the agent, or leaves the session (`over`), has not answered.
 */
export function projectAgentApprovals(
	over: AbortSignal,
): (ctx: ExtensionContext, agent: AgentDefinition) => Promise<boolean> {
	const answers = new Map<string, Promise<boolean>>();
	return (ctx, agent) => {
		if (!ctx.hasUI) return Promise.resolve(false);
		const key = `${agent.file} ${agent.digest}`;
		const known = answers.get(key);
		if (known) return known;
		const question = `Run the project's agent "${inOneLine(agent.name)}"?`;
		const why = `This project is not trusted. The agent's instructions come from\n${inOneLine(agent.file)}`;
		const { ui } = ctx;
		const signal = ctx.signal ? AbortSignal.any([over, ctx.signal]) : over;
		const answer = inTurn(ui, () => ui.confirm(question, why, { signal }), signal).then(
			(yes) => {
				if (signal.aborted) answers.delete(key);
				return yes === true;
			},
			(error) => {
				answers.delete(key);
				throw error;
			},
		);
		answers.set(key, answer);
		return answer;
	};
}
