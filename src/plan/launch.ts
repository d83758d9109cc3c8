import type { AgentDefinition, AgentSource } from "../agents/definition.ts";
import { type AgentCatalog, catalogFor } from "../agents/discover.ts";
import type { Config } from "../config/config.ts";
import { positionOf } from "../run/diagnostic.ts";
import { isRefusal, type Refusal, refuse } from "../run/errors.ts";
import { isSessionId, type SessionId } from "../run/ids.ts";
import { didYouMean } from "../run/nearest.ts";
import { quoted, shortened } from "../run/quoted.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import { GENERAL } from "./general.ts";
import { definitionChanged } from "./in-background.ts";
import { continuedFor, effectiveLimits } from "./limits.ts";
import type { ModelSource, ResolvedModel } from "./model.ts";
import { modelFor } from "./model-for.ts";
import type { ChildSession, LaunchPlan, ModelChoice } from "./plan.ts";
import { choosePrincipal } from "./principal.ts";
import { childPrompt } from "./prompt.ts";
import { newSession } from "./session-place.ts";
import { effectiveTools, type KnownTool, type WriteConsent } from "./tools.ts";
import {
	type Approval,
	type ProjectAgentQuestion,
	type TrustedDefinition,
	trustedDefinition,
} from "./trusted-definition.ts";
import { toolsWithConsent } from "./write-consent.ts";

/** What was asked for. */
export interface LaunchRequest {
	/** Absent: a child without a role. */
	agent?: string;
	task: string;
	/** Continue this child session. */
	sessionId?: string;
	/** Wins over every other wish for a model. */
	model?: string;
	thinking?: ThinkingLevel;
	/** The principal to run under. */
	agentId?: string;
	/** 0 or absent: none of its own. */
	runTimeoutSeconds?: number;
	/** Whether the parent goes on without waiting. */
	background?: boolean;
	cleanup?: "keep" | "delete";
	route?: unknown;
}

/** What the plan depends on besides the request: the parent as it is at this moment. */
export interface ParentFacts {
	cwd: string;
	/** How many subagents deep this process is. */
	depth: number;
	activeTools: string[];
	knownTools: KnownTool[];
	model: ModelChoice | undefined;
	thinking: ThinkingLevel | undefined;
	projectTrusted: boolean;
	/** Whether the parent's session has a file, so that it can be opened again. */
	sessionKept: boolean;
	/** Among the models that can be used with main's credentials, or with those in a principal's own directory. */
	resolveModel(name: string, principalDir?: string): Promise<ResolvedModel | undefined>;
	/** Where a child gets a model from that this pi has. */
	modelSource(model: ModelChoice): Promise<ModelSource>;
	/** Asks the user about an agent of a project that is not trusted. */
	approveProjectAgent(question: ProjectAgentQuestion): Promise<Approval>;
	/** Asks the user whether an agent may write with these tools. Undefined: they left before they answered. */
	askToWrite(agent: AgentDefinition, tools: readonly string[]): Promise<WriteConsent | undefined>;
}

/** What the plan depends on that others own. */
export interface PlanSources {
	config: Config;
	catalog: AgentCatalog;
	sessionsRoot: string;
	findSession(id: SessionId): KnownSession | undefined;
	/** The agent directory of this pi, by which it is known which principal asks. */
	agentDir: string;
}

export interface KnownSession {
	agent: string;
	cwd: string;
	file: string;
	definition: string;
	/** Under whose account its last run worked. */
	principal: string;
	/** Whether a run has worked in it: only then is there a transcript. */
	everStarted: boolean;
	/** Whether its transcript still exists. */
	isThere: boolean;
	archivedAt?: number;
}

/** Decides everything about a run before it exists, or refuses it and says why. */
export async function planLaunch(
	request: LaunchRequest,
	parent: ParentFacts,
	sources: PlanSources,
): Promise<LaunchPlan | Refusal> {
	const { config } = sources;
	const permitted = await permittedAgent(request, parent, sources);
	if (isRefusal(permitted)) return permitted;
	const { agent } = permitted;
	const principal = choosePrincipal(request.agentId, sources);
	if (isRefusal(principal)) return principal;
	const session = childSession(request, agent, { cwd: parent.cwd, principal: principal.id, ...sources });
	if (isRefusal(session)) return session;
	const chosen = await modelFor({ agent, principal, config, parent, requested: request.model });
	if (isRefusal(chosen)) return chosen;
	const { runTimeoutSeconds, background = false } = request;
	const { limits, warnings } = effectiveLimits({ agent: agent.limits, background, runTimeoutSeconds }, config);
	const continued = effectiveLimits({ agent: agent.limits, background: true, ...continuedFor(config) }, config);
	const thinking =
		request.thinking ??
		agent.thinking ??
		chosen.thinking ??
		config.agents.defaults.subagents.thinking ??
		parent.thinking;
	// Last, so that the user is asked about no run that cannot be.
	const tools = await toolsWithConsent(agent, parent, config);
	if (isRefusal(tools)) return tools;

	return {
		agent: agent.name,
		definition: { source: agent.source, file: agent.file, digest: agent.digest },
		task: request.task,
		prompt: childPrompt(agent, tools.tools),
		cwd: parent.cwd,
		projectTrusted: parent.projectTrusted,
		...tools,
		lspActions: [...config.subagents.allowedLspActions],
		model: chosen.model,
		...(thinking && { thinking }),
		limits,
		...(!background && { backgroundTimeoutMs: continued.limits.timeoutMs }),
		isolation: agent.isolation,
		maxAttempts: config.subagents.retry.enabled ? config.subagents.retry.maxAttempts : 1,
		...(agent.outputSchema && { outputSchema: agent.outputSchema }),
		session: session.session,
		principal,
		afterwards: {
			cleanup: request.cleanup ?? "keep",
			archiveAfterMinutes: config.agents.defaults.subagents.archiveAfterMinutes,
			parentKept: parent.sessionKept,
		},
		...(request.route !== undefined && { route: request.route }),
		warnings: [
			...permitted.warnings,
			...tools.warnings,
			...warnings,
			...agent.warnings,
			...chosen.warnings,
			...session.warnings,
		],
	};
}

async function permittedAgent(
	request: LaunchRequest,
	parent: ParentFacts,
	{ config, catalog: known }: PlanSources,
): Promise<TrustedDefinition | Refusal> {
	if (parent.depth >= config.subagents.maxDepth) {
		const why = parent.depth > 0 ? "A subagent cannot delegate further." : "subagents.maxDepth is 0 in pi-geon.json.";
		return refuse("SUBAGENT_DEPTH_EXCEEDED", `${why} Do the task yourself.`);
	}
	if (!config.subagents.enabled) {
		return refuse("SUBAGENTS_DISABLED", "Subagents are switched off (subagents.enabled in pi-geon.json).");
	}
	if (request.agent?.trim() === "")
		return refuse("INVALID_INPUT", "`agent` must be a non-empty string: the name of an agent.");
	if (!request.task.trim())
		return refuse("INVALID_INPUT", "`task` must be a non-empty string: what the agent should do.");
	if (request.agent === undefined) return { agent: GENERAL, warnings: [] };
	const catalog = catalogFor(known, request.agent);
	const agent = catalog.agents.find((candidate) => candidate.name === request.agent);
	if (!agent) return refuse("UNKNOWN_AGENT", unknownAgent(request.agent, parent, catalog));
	if (config.subagents.disabled.includes(agent.name)) {
		return refuse(
			"SUBAGENT_DISABLED",
			`${agent.name} is switched off (subagents.disabled in pi-geon.json).`,
			"disabled",
		);
	}
	const trusted = await trustedDefinition({
		agent,
		catalog,
		projectTrusted: parent.projectTrusted,
		approve: async (replaces) => {
			const granted = effectiveTools({ agent, config, active: parent.activeTools, known: parent.knownTools });
			const tools = isRefusal(granted) ? [] : granted.tools;
			return parent.approveProjectAgent({ agent, tools, ...(replaces && { replaces }) });
		},
	});
	if (isRefusal(trusted) || trusted.agent.switchedOff === undefined) return trusted;
	const why = `${agent.name} is switched off (${trusted.agent.switchedOff}).`;
	return refuse("SUBAGENT_DISABLED", why, "disabled");
}

/** The model reads this; a folder of hundreds of agents would fill its context. */
const MOST_NAMES = 50;

/** Says nothing of a project that is not trusted. */
function unknownAgent(name: string, { projectTrusted }: ParentFacts, { agents, unusable }: AgentCatalog): string {
	const mayBeTold = ({ source }: { source: AgentSource }) => source !== "project" || projectTrusted;
	const names = agents
		.filter((agent) => mayBeTold(agent) && agent.switchedOff === undefined)
		.map((agent) => agent.name);
	const faulty = unusable.filter(mayBeTold).find((one) => one.name === name);
	const why = faulty ? ` Its file has an error: ${positionOf(faulty.problem)}.` : didYouMean(name, names);
	const more = names.length - MOST_NAMES;
	const rest = more > 0 ? ` and ${more} more, which the user can list with /toolkit agents` : "";
	return `Unknown agent: ${shortened(name)}.${why} Available agents: ${names.slice(0, MOST_NAMES).join(", ")}${rest}`;
}

/** A new child session, or the one to continue: identity is directory + agent + id, and it never changes accounts. */
function childSession(
	request: LaunchRequest,
	agent: AgentDefinition,
	where: Pick<PlanSources, "findSession" | "sessionsRoot"> & { cwd: string; principal: string },
): { session: ChildSession; warnings: string[] } | Refusal {
	if (request.sessionId === undefined) {
		return { session: newSession({ root: where.sessionsRoot, cwd: where.cwd, agent: agent.name }), warnings: [] };
	}
	const wrong = (message: string, reason: string) => refuse("INVALID_INPUT", message, reason);
	const id = request.sessionId.trim().toLowerCase();
	if (!isSessionId(id))
		return wrong(
			`${quoted(request.sessionId)} is not a session id. Pass one that a result returned.`,
			"malformed_session",
		);
	const known = where.findSession(id);
	if (!known)
		return wrong(`There is no child session ${id}. Leave sessionId out to start a new one.`, "unknown_session");
	if (known.archivedAt !== undefined)
		return wrong(`Session ${id} is archived and cannot be continued.`, "archived_session");
	if (known.agent !== agent.name)
		return wrong(`Session ${id} belongs to ${known.agent}, not to ${agent.name}.`, "other_agent");
	if (known.cwd !== where.cwd)
		return wrong(`Session ${id} belongs to ${known.cwd}, not to this directory.`, "other_directory");
	if (known.principal !== where.principal) {
		const message = `Session ${id} belongs to agentId ${known.principal}, not to ${where.principal}. Continue it with sessions_send.`;
		return wrong(message, "other_principal");
	}
	if (known.everStarted && !known.isThere)
		return wrong(`The transcript of session ${id} is gone: there is no ${known.file} any more.`, "missing_session");
	// Sessions of older releases recorded the beginning of the digest.
	const changed = !agent.digest.startsWith(known.definition);
	return {
		session: { id, file: known.file, resumed: known.everStarted },
		warnings: changed ? [definitionChanged(agent.name)] : [],
	};
}
