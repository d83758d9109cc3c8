import type { AgentDefinition, AgentSource } from "../agents/definition.ts";
import { type AgentCatalog, catalogFor } from "../agents/discover.ts";
import type { Config } from "../config/config.ts";
import { positionOf } from "../run/diagnostic.ts";
import { isRefusal, type Refusal, refuse } from "../run/errors.ts";
import type { SessionId } from "../run/ids.ts";
import { didYouMean } from "../run/nearest.ts";
import { ASK_TOOL } from "../run/question.ts";
import { shortened } from "../run/quoted.ts";
import type { StartingContext } from "../run/starting-context.ts";
import type { ThinkingLevel } from "../run/thinking.ts";
import type { TraceContext } from "../run/trace-context.ts";
import { allSwitchedOff, childSession, type KnownSession, switchedOffBy, switchedOffHere } from "./continued.ts";
import { fallbacksFor, namedFallbacks } from "./fallbacks.ts";
import { forkFor, type ParentConversation } from "./fork.ts";
import { GENERAL } from "./general.ts";
import { stopHookFor } from "./hooks.ts";
import { nameOf } from "./left-out.ts";
import { continuedFor, effectiveLimits } from "./limits.ts";
import type { ModelSource, ResolvedModel } from "./model.ts";
import { configuredModel, modelFor } from "./model-for.ts";
import { networkWarnings, withEnforceableNetwork } from "./network.ts";
import type { LaunchPlan, ModelChoice } from "./plan.ts";
import { poolFor, refusedByPool, skillsStayHome, WAITING_ATTEMPTS } from "./pool.ts";
import { choosePrincipal } from "./principal.ts";
import { childPrompt } from "./prompt.ts";
import { sandboxFor } from "./sandbox.ts";
import { type KnownSkill, skillsFor } from "./skills.ts";
import { thinkingFor } from "./thinking.ts";
import { effectiveTools, type KnownTool, type WriteConsent } from "./tools.ts";
import { type AskForTree, noTreeWarning, treeFor } from "./tree.ts";
import {
	type Approval,
	type ProjectAgentQuestion,
	type TrustedDefinition,
	trustedDefinition,
} from "./trusted-definition.ts";
import { toolsWithConsent } from "./write-consent.ts";

/** The request as it was made. */
export interface LaunchRequest {
	/** Absent: a child without a role. */
	agent?: string;
	task: string;
	/** Continue this child session. */
	sessionId?: string;
	/** Takes precedence over every other choice of a model. */
	model?: string;
	thinking?: ThinkingLevel;
	/** What its session begins with. Takes precedence over the agent's file. */
	context?: StartingContext;
	/** Takes precedence over the agent's file. */
	isolation?: "worktree";
	/** The tool call that makes the request, if there is one. */
	toolCall?: string;
	/** The principal to run under. */
	agentId?: string;
	/** 0 or absent: no limit of its own. */
	runTimeoutSeconds?: number;
	/** Whether the parent continues without waiting. */
	background?: boolean;
	/** The user asks, not the model. */
	byUser?: true;
	cleanup?: "keep" | "delete";
	/** The pool whose workers should do it. */
	pool?: string;
	route?: unknown;
}

/** What the plan depends on besides the request: the parent at this moment. */
export interface ParentFacts {
	cwd: string;
	/** How many subagents deep this process is. */
	depth: number;
	activeTools: string[];
	knownTools: KnownTool[];
	/** The skills that pi has found. */
	knownSkills(): KnownSkill[];
	/** The parent is not there. The facts are those of the session's last run. */
	isAbsent?: true;
	/** Absent with the parent. */
	conversation?: ParentConversation;
	model: ModelChoice | undefined;
	thinking: ThinkingLevel | undefined;
	projectTrusted: boolean;
	/** The span of another program that started the parent, if any. */
	trace?: TraceContext;
	/** Whether the parent's session has a file, so that it can be opened again. */
	sessionKept: boolean;
	/** Searches the models that can be used with main's credentials, or with those in a principal's own directory. */
	resolveModel(name: string, principalDir?: string): Promise<ResolvedModel | undefined>;
	/** Where a child gets one of this pi's models from. */
	modelSource(model: ModelChoice): Promise<ModelSource>;
	/** The level that pi uses with a model that does not have this one. Absent: unknown. */
	thinkingWith?(model: ModelChoice, level: ThinkingLevel): ThinkingLevel | undefined;
	/** Asks the user about an agent of a project that is not trusted. */
	approveProjectAgent(question: ProjectAgentQuestion): Promise<Approval>;
	/** Why the kernel cannot enforce what a child may do; undefined if it can. Absent: unknown before a host tries. */
	ringTrouble?(): Promise<string | undefined>;
	/** Whether a tree can be made of the working directory. Absent: unknown before a host tries. */
	askForTree?: AskForTree;
	/** Asks the user whether an agent may write with these tools. Undefined: the user left before answering. */
	askToWrite(agent: AgentDefinition, tools: readonly string[]): Promise<WriteConsent | undefined>;
}

/** What the plan depends on besides the parent and the request. */
export interface PlanSources {
	config: Config;
	catalog: AgentCatalog;
	sessionsRoot: string;
	findSession(id: SessionId): KnownSession | undefined;
	/** The agent directory of this pi, which identifies the principal that asks. */
	agentDir: string;
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
	const { isolation = permitted.agent.isolation } = request;
	const asked = isolation === permitted.agent.isolation ? permitted.agent : { ...permitted.agent, isolation };
	const principal = choosePrincipal(request.agentId, sources);
	if (isRefusal(principal)) return principal;
	const place = { ...sources, parent, principal: principal.id };
	const chosenSession = childSession(request, permitted.agent, place);
	if (isRefusal(chosenSession)) return chosenSession;
	const { last } = chosenSession;
	const away = poolFor({ requested: request.pool, agent: permitted.agent, last, config, cwd: parent.cwd });
	if (isRefusal(away)) return away;
	const { pool } = away;
	// Only the worker knows what its kernel can enforce.
	const ringTrouble = pool ? undefined : parent.ringTrouble;
	const agent = await withEnforceableNetwork(asked, { config, ringTrouble });
	const question = { agent, principal, config, parent, requested: request.model, session: chosenSession };
	const chosen = await modelFor(question);
	if (isRefusal(chosen)) return chosen;
	const fallbacks = await fallbacksFor(question, chosen);
	const models = [chosen.model, ...fallbacks.models];
	const { session, warnings: forkWarnings } = forkFor(
		{ request, agent, principal, parent, models, ...chosenSession },
		sources,
	);
	const { runTimeoutSeconds, background = false } = request;
	const { limits, warnings } = effectiveLimits({ agent, background, runTimeoutSeconds }, config);
	const continued = effectiveLimits({ agent, background: true, ...continuedFor(config) }, config);
	const { thinking, warnings: thinkingWarnings } = thinkingFor({
		...chosenSession,
		requested: request.thinking,
		agent,
		chosen,
		byDefault: config.agents.defaults.subagents.thinking,
		parent,
	});
	const { ringTrouble: _here, ...elsewhere } = parent;
	const treeChoice = await treeFor({ agent, config, parent: pool ? elsewhere : parent });
	if (isRefusal(treeChoice)) return treeChoice;
	// Last, so that the user is not asked about a run that is impossible anyway.
	const { tree, noTree } = treeChoice;
	const inTree = tree !== undefined;
	const tools = await toolsWithConsent(agent, parent, { config, inTree, inPool: pool !== undefined });
	if (isRefusal(tools)) return tools;
	const sandbox = await sandboxFor({
		...tools,
		inTree,
		config,
		agent: agent.name,
		cwd: parent.cwd,
		network: agent,
		ringTrouble,
	});
	if (isRefusal(sandbox)) return sandbox;
	const { write } = sandbox;
	const treeWarnings = noTree === undefined ? [] : [noTreeWarning(agent, noTree, write)];
	if (request.isolation && !tree && noTree === undefined) {
		treeWarnings.push(`isolation: worktree has no effect here: ${nameOf(agent)} only reads.`);
	}
	const known = agent.skills === undefined ? [] : parent.knownSkills();
	const { skills, warnings: skillWarnings } = skillsFor({ agent, tools: tools.tools, known });
	const travelling = { ...tools, model: chosen.model, fallbackModels: fallbacks.models, session, sandbox };
	const staysHome = pool && refusedByPool(pool, travelling);
	if (staysHome) return staysHome;
	const maxAttempts = config.subagents.retry.enabled ? config.subagents.retry.maxAttempts : 1;

	return {
		agent: agent.name,
		definition: { source: agent.source, file: agent.file, digest: agent.digest },
		task: request.task,
		prompt: childPrompt(agent, tools.tools, {
			forked: session.fork !== undefined,
			...(tree && { copyOf: parent.cwd }),
		}),
		cwd: parent.cwd,
		projectTrusted: parent.projectTrusted,
		...tools,
		lspActions: [...config.subagents.allowedLspActions],
		...(skills.length > 0 && !pool && { skills }),
		model: chosen.model,
		...(fallbacks.models.length > 0 && { fallbackModels: fallbacks.models }),
		...(chosen.warnings.length > 0 && { modelWarnings: chosen.warnings }),
		...(thinking && { thinking }),
		limits,
		...(!background && { backgroundTimeoutMs: continued.limits.timeoutMs }),
		isolation: agent.isolation,
		maxAttempts: pool ? WAITING_ATTEMPTS : maxAttempts,
		...(tools.tools.includes(ASK_TOOL) && { askMinutes: config.subagents.askMinutes }),
		sandbox,
		...(tree && { tree }),
		...(pool && { pool: { name: pool, maxAttempts } }),
		...(agent.outputSchema && { outputSchema: agent.outputSchema }),
		...stopHookFor({ config, agentDir: sources.agentDir, cwd: parent.cwd }),
		session,
		principal,
		afterwards: {
			cleanup: request.cleanup ?? "keep",
			archiveAfterMinutes: config.agents.defaults.subagents.archiveAfterMinutes,
			parentKept: parent.sessionKept,
		},
		...(parent.trace && { trace: parent.trace }),
		...(request.byUser && { byUser: true as const }),
		...(request.route !== undefined && { route: request.route }),
		warnings: [
			...permitted.warnings,
			...away.warnings,
			...(pool ? skillsStayHome(skills, pool) : []),
			...treeWarnings,
			...tools.warnings,
			...skillWarnings,
			...networkWarnings(agent, config, write),
			...warnings,
			...agent.warnings,
			...chosen.warnings,
			...thinkingWarnings,
			...fallbacks.warnings,
			...chosenSession.warnings,
			...forkWarnings,
		],
	};
}

async function permittedAgent(
	request: LaunchRequest,
	parent: ParentFacts,
	sources: PlanSources,
): Promise<TrustedDefinition | Refusal> {
	const { config, catalog: known } = sources;
	if (parent.depth >= config.subagents.maxDepth) {
		const why = parent.depth > 0 ? "A subagent cannot delegate further." : "subagents.maxDepth is 0 in pi-geon.json.";
		return refuse("SUBAGENT_DEPTH_EXCEEDED", `${why} Do the task yourself.`);
	}
	const allOff = allSwitchedOff(config);
	if (allOff) return allOff;
	if (request.agent?.trim() === "")
		return refuse("INVALID_INPUT", "`agent` must be a non-empty string: the name of an agent.");
	if (!request.task.trim())
		return refuse("INVALID_INPUT", "`task` must be a non-empty string: what the agent should do.");
	if (request.agent === undefined) return { agent: GENERAL, warnings: [] };
	const catalog = catalogFor(known, request.agent);
	const agent = catalog.agents.find((candidate) => candidate.name === request.agent);
	if (!agent) return refuse("UNKNOWN_AGENT", unknownAgent(request.agent, parent, catalog));
	const off = switchedOffHere(agent.name, config);
	if (off) return off;
	const trusted = await trustedDefinition({
		agent,
		catalog,
		projectTrusted: parent.projectTrusted,
		approve: async (replaces) => {
			const asked = asItWouldRun(agent, request, sources);
			const { activeTools: active, knownTools } = parent;
			const inTree = asked.isolation === "worktree";
			const granted = effectiveTools({ agent: asked, config, active, known: knownTools, inTree });
			const tools = isRefusal(granted) ? [] : granted.tools;
			return parent.approveProjectAgent({ agent: asked, tools, ...(replaces && { replaces }) });
		},
	});
	if (isRefusal(trusted) || trusted.agent.switchedOff === undefined) return trusted;
	return switchedOffBy(agent.name, trusted.agent.switchedOff);
}

/** The definition with what the request and the configuration add to its file, for the user who is asked about it. */
function asItWouldRun(agent: AgentDefinition, request: LaunchRequest, sources: PlanSources): AgentDefinition {
	const { config } = sources;
	const { isolation = agent.isolation, context = agent.context } = request;
	const principal = choosePrincipal(request.agentId, sources);
	const configured = isRefusal(principal) ? null : configuredModel(principal.id, config);
	const model = request.model ?? agent.model ?? configured;
	const { names: fallbackModels } = namedFallbacks({ agent, config });
	return {
		...agent,
		isolation,
		...(context && { context }),
		...(model && { model }),
		fallbackModels: [...fallbackModels],
	};
}

/** The model reads this; a folder of hundreds of agents would fill its context. */
const MOST_NAMES = 50;

/** Does not mention the agents of an untrusted project. */
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
