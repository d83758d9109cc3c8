import { codeAction, rename } from "./actions/change.ts";
import { hover, signature } from "./actions/describe.ts";
import { diagnostics, workspaceDiagnostics } from "./actions/diagnostics.ts";
import { definition } from "./actions/find.ts";
import { findReferences } from "./actions/references.ts";
import { restart, servers } from "./actions/servers.ts";
import { symbols } from "./actions/symbols.ts";
import { AnswerNotes } from "./answer-notes.ts";
import type { LspAnswer, LspRequest } from "./request.ts";
import type { LspSession, LspSetup } from "./session.ts";

export { ringsLentTo } from "../sandbox/lent-rings.ts";
export { knownServers } from "./server/definition.ts";
export { sharedPool } from "./server/server-pool.ts";
export { Workspace } from "./workspace.ts";

const ACTIONS: Record<
	LspRequest["action"],
	(session: LspSession, request: LspRequest) => LspAnswer | Promise<LspAnswer>
> = {
	definition,
	references: findReferences,
	hover,
	signature,
	symbols,
	diagnostics,
	"workspace-diagnostics": workspaceDiagnostics,
	servers,
	rename,
	codeAction,
	restart,
};

/** Runs one call of the tool. Loaded at the first call, since most sessions never make one. */
export async function runLsp(request: LspRequest, session: LspSetup): Promise<LspAnswer> {
	const notes = new AnswerNotes();
	try {
		return notes.addedTo(await ACTIONS[request.action]({ ...session, notes }, request));
	} catch (error) {
		throw notes.addedToError(error);
	}
}
