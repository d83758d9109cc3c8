import { LSP_ACTIONS } from "../config/config.ts";

/** Actions that change files or servers, for a user's own session only. */
const PARENT_ACTIONS = ["rename", "codeAction", "restart"] as const;

export const ALL_ACTIONS = [...LSP_ACTIONS, ...PARENT_ACTIONS] as const;

export const SEVERITIES = ["error", "warning", "information", "hint"] as const;

/** A call of the tool. Lines and columns are 1-based. */
export interface LspRequest {
	action: (typeof ALL_ACTIONS)[number];
	file?: string;
	files?: string[];
	line?: number;
	column?: number;
	endLine?: number;
	endColumn?: number;
	/** A symbol instead of a position; for code actions the title of one. */
	query?: string;
	newName?: string;
	severity?: (typeof SEVERITIES)[number];
	server?: string;
}

export interface LspAnswer {
	text: string;
	details: object;
}
