import type { ClientCapabilities } from "vscode-languageserver-protocol";

/** What we can make sense of. No edits by the server's own initiative, and none that create or delete files. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
	// The one encoding every server must know; `positions.ts` copes with those that choose another anyway.
	general: { positionEncodings: ["utf-16"] },
	window: { workDoneProgress: true },
	// rust-analyzer tells with it when it has read the project: its pieces of work begin and end one by one.
	experimental: { serverStatusNotification: true },
	workspace: {
		workspaceFolders: true,
		configuration: true,
		didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
		symbol: {},
		workspaceEdit: { documentChanges: true },
	},
	textDocument: {
		synchronization: {},
		publishDiagnostics: { versionSupport: true },
		diagnostic: {},
		definition: { linkSupport: true },
		references: {},
		hover: { contentFormat: ["markdown", "plaintext"] },
		signatureHelp: { signatureInformation: { documentationFormat: ["markdown", "plaintext"] } },
		documentSymbol: { hierarchicalDocumentSymbolSupport: true },
		rename: {},
		codeAction: {
			codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor", "source"] } },
			resolveSupport: { properties: ["edit"] },
			dataSupport: true,
		},
	},
};
