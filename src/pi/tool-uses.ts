import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { ToolUses, USED_A_TOOL } from "../log/tool-uses.ts";
import { parentLog } from "./parent-log.ts";

/** Logs what the web, document and lsp tools do in this session. The hosts do so for children. */
export function logToolUses(pi: ExtensionAPI): void {
	let session: string | undefined;
	const uses = new ToolUses((use) =>
		parentLog.info(USED_A_TOOL, { ...(session !== undefined && { session }), ...use }),
	);
	pi.on("tool_execution_start", (event, ctx) => {
		session = ctx.sessionManager.getSessionId();
		uses.started(event);
	});
	pi.on("tool_execution_end", (event) => uses.ended(event));
}
