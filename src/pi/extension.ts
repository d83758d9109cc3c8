import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { projectAgentApprovals } from "./approvals.ts";
import { addPolicyToCustomPrompt, delegationPolicy } from "./delegation-policy.ts";
import { markFailure } from "./failures.ts";
import { delegationDepth } from "./parent-facts.ts";
import { reportDiagnostics } from "./report-diagnostics.ts";
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
	let policy = "";

	pi.on("session_start", (_event, ctx) => {
		const { config, diagnostics } = configFor(ctx);
		const { subagents } = config;
		// What an untrusted project says goes neither into the prompt nor onto the screen.
		const catalog = agentsFor(ctx, { includeProject: isTrustedByDecision(ctx) });
		reportDiagnostics(ctx, [...diagnostics, ...(subagents.enabled ? catalog.diagnostics : [])]);
		if (!subagents.enabled) return;
		const { agents } = catalog;
		policy = subagents.injectDelegationPolicy ? delegationPolicy(agents) : "";
		pi.registerTool(subagentTool({ pi, services, agents, policy, approveProjectAgent }));
	});
	pi.on("before_agent_start", ({ systemPromptOptions }) => addPolicyToCustomPrompt(systemPromptOptions, policy));
	pi.on("tool_result", markFailure);
	pi.on("turn_end", (event, ctx) => settleToolResults(event, ctx, services));
	pi.on("session_shutdown", () => services.close());
}
