import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";

/** Limits a child to the lsp actions of its plan, whatever the tool itself would allow. */
export const lspGuard =
	(allowed: readonly string[]): ExtensionFactory =>
	(pi) => {
		pi.on("tool_call", ({ toolName, input }) => {
			if (toolName !== "lsp") return undefined;
			const action = "action" in input ? input.action : undefined;
			if (typeof action === "string" && allowed.includes(action)) return undefined;
			return { block: true, reason: `lsp ${action} is not allowed here. Allowed: ${allowed.join(", ")}.` };
		});
	};
