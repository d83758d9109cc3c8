import * as pi from "@earendil-works/pi-coding-agent";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";
import { isMcpTool } from "../run/pi-tools.ts";
import type { Ring } from "../sandbox/ring.ts";
import { ChildMcp, type CreateMcpExtension } from "./mcp.ts";

type Factory = pi.ExtensionFactory;

/** What a child gets of pi's own extensions, which a session in a host does not load by itself. */
export interface PiExtensions {
	factories: Factory[];
	mcp: ChildMcp | undefined;
}

/**
 * pi's own extensions (pi >= 0.99) for the tools of a plan that they bring: MCP tools, `codemode`, `tool_search`. A tool of
 * that name from a user's extension is not one of them.
 */
export function piExtensionsFor(plan: LaunchPlan, ring: (() => Ring) | undefined): PiExtensions {
	const needed = plan.tools.filter((name) => plan.extensionOf?.[name] === undefined);
	const factories: Factory[] = [];
	if (needed.includes("codemode")) {
		// Without the session's models: what a script spends on them would appear in no usage.
		const codemode = ofNewerPi<(options: { models: boolean }) => Factory>("createCodemodeExtension")?.({
			models: false,
		});
		if (codemode) factories.push(codemode);
	}
	if (needed.includes("tool_search")) {
		const toolSearch = ofNewerPi<() => Factory>("createToolSearchExtension")?.();
		if (toolSearch) factories.push(toolSearch);
	}
	const tools = needed.filter(isMcpTool);
	const createMcp = tools.length > 0 ? ofNewerPi<CreateMcpExtension>("createMcpExtension") : undefined;
	if (!createMcp) return { factories, mcp: undefined };
	const mcp = new ChildMcp({
		create: createMcp,
		tools,
		agentDir: getAgentDir(),
		cwd: plan.cwd,
		projectTrusted: plan.projectTrusted,
		sessionId: plan.session.id,
		ring,
	});
	return { factories: [...factories, mcp.factory], mcp };
}

/** Something that only newer releases of pi export. */
function ofNewerPi<Value>(name: string): Value | undefined {
	return Reflect.get(pi, name) as Value | undefined;
}
