import { createHash } from "node:crypto";
import { join } from "node:path";
import { newSessionId, type SessionId } from "../run/ids.ts";
import type { ChildSession } from "./plan.ts";

/** A child session that does not exist yet. */
export function newSession(where: { root: string; cwd: string; agent: string }): ChildSession {
	const id = newSessionId();
	return { id, file: sessionFile({ ...where, id }), resumed: false };
}

function sessionFile(session: { root: string; cwd: string; agent: string; id: SessionId }): string {
	const folder = createHash("sha256").update(session.cwd).digest("hex").slice(0, 16);
	return join(session.root, folder, `${session.agent}_${session.id}.jsonl`);
}

export const sessionsRoot = (agentDir: string, homeDir: string): string =>
	join(rootOfChildren(agentDir, homeDir), "subagent-sessions");

/** Where the trees of runs are: not inside a repository, where searches and watchers would find them. */
export const treesRoot = (agentDir: string, homeDir: string): string =>
	join(rootOfChildren(agentDir, homeDir), "subagent-worktrees");

/** What no subagent sees: pi's own directory, and the sessions and trees of others. */
export const foldersOfOurs = (agentDir: string, homeDir: string): string[] => [
	agentDir,
	sessionsRoot(agentDir, homeDir),
	treesRoot(agentDir, homeDir),
];

/** Beside pi's own directory by default; inside it when the user has moved that elsewhere. */
function rootOfChildren(agentDir: string, homeDir: string): string {
	const isDefault = agentDir === join(homeDir, ".pi", "agent");
	return isDefault ? join(homeDir, ".pi") : agentDir;
}

/** Where copies of a parent's conversation are until their runs begin. */
export const forksFolder = (agentDir: string): string => join(agentDir, "pi-geon", "forks");

/** The copy for a child session. */
export const forkFile = (agentDir: string, id: SessionId): string => join(forksFolder(agentDir), `${id}.jsonl`);
