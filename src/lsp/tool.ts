import { StringEnum } from "@earendil-works/pi-ai";
import { defineTool, generateUnifiedPatch, withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { LSP_ACTIONS } from "../config/config.ts";
import { configFor } from "../config/config-for.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { ALL_ACTIONS, type LspRequest, SEVERITIES } from "./request.ts";

const optional = { text: Type.Optional(Type.String()), number: Type.Optional(Type.Integer({ minimum: 1 })) };

const readOnly = {
	file: optional.text,
	files: Type.Optional(Type.Array(Type.String(), { maxItems: 64, description: "For diagnostics" })),
	line: optional.number,
	column: optional.number,
	query: Type.Optional(Type.String({ description: "Symbol, instead of a position" })),
	severity: Type.Optional(StringEnum(SEVERITIES)),
	server: optional.text,
};

const forChildren = Type.Object({ action: StringEnum(LSP_ACTIONS), ...readOnly }, { additionalProperties: false });

const forParents = Type.Object(
	{
		action: StringEnum(ALL_ACTIONS),
		...readOnly,
		endLine: optional.number,
		endColumn: optional.number,
		newName: optional.text,
	},
	{ additionalProperties: false },
);

export interface LspToolSetup {
	/** Whether this is a subagent, in which nothing may change files or servers. */
	isChild: boolean;
	/** Identifies the session to the pool of servers. */
	user: PoolUser;
}

export interface PoolUser {
	/** Set once it has used servers. */
	leave?: () => Promise<void>;
}

export function lspTool({ isChild, user }: LspToolSetup) {
	const changes = isChild ? "" : " codeAction: list, then `query` a title.";
	return defineTool({
		name: "lsp",
		label: "LSP",
		description: `Ask the project's language server. Lines and columns from 1. Place: file+line+column, file+line+query, file+query, or query alone.${changes}`,
		parameters: isChild ? forChildren : forParents,
		async execute(_id, request: LspRequest, signal, onUpdate, ctx) {
			if (isChild && !LSP_ACTIONS.some((action) => action === request.action)) {
				throw new Error(`${request.action} is not available in a subagent.`);
			}
			const config = configFor(ctx).config.lsp;
			const { knownServers, ringsLentTo, runLsp, sharedPool, Workspace } = await import("./run.ts");
			const pool = sharedPool();
			// A child does not end its servers: its process keeps them for the next child, until they are idle.
			if (!isChild) {
				pool.join(user);
				user.leave = () => pool.leave(user);
			}
			const rings = isChild ? ringsLentTo(ctx.sessionManager.getSessionId()) : undefined;
			if (rings?.endWithRun) rings.end = () => pool.close((launch) => launch.rings === rings);
			const { text, details } = await runLsp(request, {
				workspace: new Workspace(ctx.cwd, rings?.hidden()),
				servers: knownServers(config.servers),
				pool,
				trusted: isTrustedByDecision(ctx),
				mayWrite: config.allowMutatingActions && !isChild,
				idleMs: config.idleMinutes * 60_000,
				env: process.env,
				rings,
				signal,
				onProgress: (text) => onUpdate?.({ content: [{ type: "text", text }], details: { action: request.action } }),
				inMutationQueue: withFileMutationQueue,
				unifiedPatch: generateUnifiedPatch,
			});
			return { content: [{ type: "text", text }], details: { action: request.action, ...details } };
		},
	});
}
