import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Aborts the parent's turn just before a delegation begins: its signal is aborted when it gets it. */
export default function abortsAtEntry(pi: ExtensionAPI): void {
	pi.on("tool_call", ({ toolName }, ctx) => {
		if (toolName === "subagent") ctx.abort();
		return undefined;
	});
}
