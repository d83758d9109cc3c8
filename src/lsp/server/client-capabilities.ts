import type { ClientCapabilities } from "vscode-languageserver-protocol";

/** The capabilities that we support. They exclude edits on the server's own initiative, and creating or deleting files. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
	// The one encoding every server must know; `positions.ts` handles servers that choose another anyway.
	general: { positionEncodings: ["utf-16"] },
	window: { workDoneProgress: true },
	// With it, rust-analyzer reports when it has read the project, which its single tasks do not show.
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
