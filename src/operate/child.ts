import { type ChildSessionRow, childSessionsOf } from "../ledger/child-sessions.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { runOfSession } from "../ledger/run-list.ts";
import { findSession } from "../ledger/sessions.ts";
import { isSessionId, type SessionId, sessionKey } from "../run/ids.ts";
import { quoted, shortened } from "../run/quoted.ts";
import type { Denial } from "./denial.ts";

/** The name of a child session: its key (or its id), or the label it was spawned with. */
export interface ChildName {
	sessionKey?: string;
	label?: string;
}

/** The run that determines the state of a child session, if the session belongs to this parent. */
export function findChild(ledger: Ledger, parentSession: string, name: ChildName): RunRecord | Denial {
	const own = childSessionsOf(ledger, parentSession);
	const found =
		name.sessionKey !== undefined
			? bySessionKey(ledger, own, name.sessionKey)
			: name.label !== undefined
				? childByLabel(ledger, own, name.label)
				: notFound("Give a sessionKey or a label.");
	if ("error" in found) return found;
	return findRun(ledger, found.runId) ?? notFound(`Run ${found.runId} is not in the ledger any more.`);
}

/**
 * The run that gets a message sent to this one: the run itself while it is open, otherwise the run that determines the
 * state of its session.
 */
export function runToTell(ledger: Ledger, named: RunRecord): RunRecord {
	if (named.run.state !== "ended") return named;
	const id = runOfSession(ledger, named.sessionId);
	return (id && findRun(ledger, id)) ?? named;
}

function bySessionKey(ledger: Ledger, own: ChildSessionRow[], key: string): ChildSessionRow | Denial {
	const id = sessionIdOf(key);
	if (id === undefined)
		return notFound(`${quoted(key)} is not a session key. sessions_list shows those of your subagents.`);
	const child = own.find(({ sessionId }) => sessionId === id);
	if (child) return child;
	if (!findSession(ledger, id))
		return notFound(`There is no session ${shortened(key)}. sessions_list shows those of your subagents.`);
	return { status: "forbidden", error: `${shortened(key)} is not a subagent of this conversation.` };
}

function childByLabel(ledger: Ledger, own: ChildSessionRow[], label: string): ChildSessionRow | Denial {
	const [child, ...others] = own.filter((row) => row.label === label);
	if (!child) return notFound(`No subagent of this conversation has the label ${quoted(label)}.`);
	if (others.length === 0) return child;
	const keys = [child, ...others].slice(0, 5).map(({ runId }) => childKey(findRun(ledger, runId)));
	return notFound(
		`${others.length + 1} subagents have the label ${quoted(label)}. Give the sessionKey: ${keys.join(", ")}`,
	);
}

const childKey = (record: RunRecord | undefined): string =>
	record ? sessionKey(record.plan.principal.id, record.sessionId) : "(gone)";

function sessionIdOf(key: string): SessionId | undefined {
	const id = key.trim().toLowerCase().split(":").at(-1) ?? "";
	return isSessionId(id) ? id : undefined;
}

const notFound = (error: string): Denial => ({ status: "error", error });
