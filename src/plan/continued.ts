import type { AgentDefinition } from "../agents/definition.ts";
import { catalogFor } from "../agents/discover.ts";
import type { Config } from "../config/config.ts";
import { isRefusal, type Refusal, refuse } from "../run/errors.ts";
import { isSessionId, type SessionId } from "../run/ids.ts";
import { quoted } from "../run/quoted.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import { definitionChanged } from "./in-background.ts";
import type { LaunchRequest, ParentFacts, PlanSources } from "./launch.ts";
import type { ChildSession, LaunchPlan } from "./plan.ts";
import { choosePrincipal } from "./principal.ts";
import { newSession } from "./session-place.ts";

/** A child session as the ledger knows it. */
export interface KnownSession {
	agent: string;
	cwd: string;
	file: string;
	/** Digest of the agent's definition when the session was last used. */
	definition: string;
	/** The principal of its last run. */
	principal: string;
	/** Whether a run has worked in it: only then is there a transcript. */
	everStarted: boolean;
	/** Whether its transcript still exists. */
	isThere: boolean;
	/** Whether its working directory still exists. */
	folderIsThere: boolean;
	archivedAt?: number;
	/** From the plan of its last run. Absent if that cannot be read. */
	last?: LastPlan;
}

export interface LastPlan {
	/** `provider/id`. */
	model: string;
	modelWarnings?: string[];
	thinking?: ThinkingLevel;
	projectTrusted: boolean;
	/** Where the copy of its parent's conversation is or was, if it began with one. */
	fork?: string;
	/** The pool that worked on it. */
	pool?: string;
}

/** The session of a run, and what it keeps from earlier runs. */
export interface SessionChoice {
	session: ChildSession;
	/** The model and thinking level that the session keeps. */
	last?: LastPlan;
	/** Whether its agent's definition has changed, which takes precedence over what the session keeps. */
	changed: boolean;
	warnings: string[];
}

interface SessionPlace extends Pick<PlanSources, "findSession" | "sessionsRoot"> {
	parent: Pick<ParentFacts, "cwd" | "projectTrusted">;
	principal: string;
}

/** A new child session, or the one to continue: identity is directory + agent + id, and it never changes accounts. */
export function childSession(
	request: Pick<LaunchRequest, "sessionId">,
	agent: AgentDefinition,
	{ parent, principal, findSession, sessionsRoot }: SessionPlace,
): SessionChoice | Refusal {
	if (request.sessionId === undefined) {
		const session = newSession({ root: sessionsRoot, cwd: parent.cwd, agent: agent.name });
		return { session, changed: false, warnings: [] };
	}
	const unfit = (message: string, reason: string) => refuse("INVALID_INPUT", message, reason);
	const id = request.sessionId.trim().toLowerCase();
	if (!isSessionId(id))
		return unfit(
			`${quoted(request.sessionId)} is not a session id. Pass one that a result returned.`,
			"malformed_session",
		);
	const known = findSession(id);
	if (!known)
		return unfit(`There is no child session ${id}. Leave sessionId out to start a new one.`, "unknown_session");
	if (known.archivedAt !== undefined)
		return unfit(`Session ${id} is archived and cannot be continued.`, "archived_session");
	if (known.agent !== agent.name)
		return unfit(`Session ${id} belongs to ${known.agent}, not to ${agent.name}.`, "other_agent");
	if (known.cwd !== parent.cwd)
		return unfit(`Session ${id} belongs to ${known.cwd}, not to this directory.`, "other_directory");
	if (known.principal !== principal) {
		const message = `Session ${id} belongs to agentId ${known.principal}, not to ${principal}. Continue it with sessions_send.`;
		return unfit(message, "other_principal");
	}
	if (!known.folderIsThere)
		return unfit(`The folder of session ${id} is gone: there is no ${known.cwd} any more.`, "missing_directory");
	if (known.everStarted && !known.isThere)
		return unfit(`The transcript of session ${id} is gone: there is no ${known.file} any more.`, "missing_session");
	if (known.last?.projectTrusted && !parent.projectTrusted) return trustWithdrawn(agent.name, known.cwd);
	return { ...continuing(id, known, agent), ...(known.last && { last: known.last }) };
}

function continuing(id: SessionId, known: KnownSession, agent: AgentDefinition): SessionChoice {
	// Sessions of older releases recorded the beginning of the digest.
	const changed = !agent.digest.startsWith(known.definition);
	return {
		session: {
			id,
			file: known.file,
			resumed: known.everStarted,
			...(known.last?.fork !== undefined && { fork: known.last.fork }),
		},
		changed,
		warnings: changed ? [definitionChanged(agent.name)] : [],
	};
}

/**
 * Why an open run gets no message. The run works under the plan it was admitted with, and a message that it does not
 * receive in time becomes the task of a follow-up run under that plan.
 */
export function refusedMessage(
	{ agent, cwd, definition, principal, projectTrusted }: LaunchPlan,
	parent: Pick<ParentFacts, "projectTrusted">,
	sources: Pick<PlanSources, "config" | "catalog" | "agentDir">,
): Refusal | undefined {
	const off = allSwitchedOff(sources.config) ?? switchedOffHere(agent, sources.config);
	if (off) return off;
	// Only that file: another one of the same name, perhaps of an untrusted project, does not count.
	const { agents, overridden } = catalogFor(sources.catalog, agent);
	const why = [...agents, ...overridden].find(({ file }) => file === definition.file)?.switchedOff;
	if (why !== undefined) return switchedOffBy(agent, why);
	const target = choosePrincipal(principal.id, sources);
	if (isRefusal(target)) return target;
	return projectTrusted && !parent.projectTrusted ? trustWithdrawn(agent, cwd) : undefined;
}

export const allSwitchedOff = ({ subagents }: Config): Refusal | undefined =>
	subagents.enabled
		? undefined
		: refuse("SUBAGENTS_DISABLED", "Subagents are switched off (subagents.enabled in pi-geon.json).");

export const switchedOffHere = (agent: string, { subagents }: Config): Refusal | undefined =>
	subagents.disabled.includes(agent) ? switchedOffBy(agent, "subagents.disabled in pi-geon.json") : undefined;

export const switchedOffBy = (agent: string, what: string): Refusal =>
	refuse("SUBAGENT_DISABLED", `${agent} is switched off (${what}).`, "disabled");

const trustWithdrawn = (agent: string, cwd: string): Refusal =>
	refuse(
		"SUBAGENT_DISABLED",
		`${agent} was started with what the project in ${cwd} brings, and that project is not trusted now. ` +
			"Review it and trust it with /trust in pi, or start a new subagent.",
		"not_trusted",
	);
