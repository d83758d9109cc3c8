import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { projectAgentApprovals } from "./approvals.ts";
import { delegationDepth } from "./parent-facts.ts";
import { agentsFor, configFor, SessionServices } from "./session-services.ts";
import { settleToolResults } from "./settle.ts";
import { subagentTool } from "./tools/subagent.ts";
import { isTrustedByDecision } from "./trust.ts";

/** The extension in a user's pi. It only wires: what happens is told in `delegate.ts`. */
export default function piGeon(pi: ExtensionAPI): void {
	// Inside a subagent there is nothing to delegate with.
	if (delegationDepth(process.env) > 0) return;

	const services = new SessionServices();
	const approveProjectAgent = projectAgentApprovals();

	pi.on("session_start", (_event, ctx) => {
		if (!configFor(ctx).config.subagents.enabled) return;
		const trusted = isTrustedByDecision(ctx);
		const agents = agentsFor(ctx).agents.filter((agent) => agent.source !== "project" || trusted);
		pi.registerTool(subagentTool({ pi, services, agents, approveProjectAgent }));
	});
	pi.on("turn_end", (event, ctx) => settleToolResults(event, ctx, services));
	pi.on("session_shutdown", () => services.close());
}
