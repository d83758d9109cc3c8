import { OUR_TOOLS } from "../log/tool-uses.ts";
import { leftOutWarnings, unreadableWarnings } from "../plan/left-out.ts";
import { effectiveLimits } from "../plan/limits.ts";
import { networkWarnings, readOnlyUnlessEnforced, SANDBOX_OFF } from "../plan/network.ts";
import { refusedByPool, skillsStayHome, usualPool } from "../plan/pool.ts";
import { refusedByRequire, unavailable, writeScopeOf } from "../plan/sandbox.ts";
import { type KnownSkill, skillsFor } from "../plan/skills.ts";
import { type KnownTool, sortTools, type ToolQuestion, type WriteConsent, writingTools } from "../plan/tools.ts";
import { PI_TOOLS } from "../run/pi-tools.ts";
import { ringTrouble } from "../sandbox/probe.ts";
import type { Writing } from "./write-consents.ts";

export type Agent = ToolQuestion["agent"];

/** pi's default tools: the best guess outside a session. */
const PI_DEFAULTS = ["read", "bash", "edit", "write"];

/** The known facts about tools here. */
export interface ToolSurroundings {
	config: ToolQuestion["config"];
	/** The tools of the requesting pi session; undefined outside pi. */
	pi: { active: readonly string[]; known: readonly KnownTool[]; skills: readonly KnownSkill[] } | undefined;
	/** The consent that would apply if this agent ran now, without a question to the user. */
	consent(agent: Agent): WriteConsent;
	/** The user's answer about the agent so far. */
	writing(agent: Agent): Writing | undefined;
	/** Why no run can have a tree to write in. */
	noTree?: string;
}

/** Tests the kernel's abilities here and adds the result. */
export async function withKernel(surroundings: ToolSurroundings): Promise<ToolSurroundings> {
	const noTree = isSandboxOff(surroundings.config) ? SANDBOX_OFF : await ringTrouble();
	return noTree === undefined ? surroundings : { ...surroundings, noTree };
}

const isSandboxOff = ({ subagents }: ToolQuestion["config"]): boolean => subagents.sandbox.mode === "off";

/** What a child of an agent gets if it is started here and now. */
export interface ToolsHere {
	/** Why it does not run at all, if it is disabled. */
	off?: string;
	tools: string[];
	/** Why each of its runs is refused, although it would get these tools. */
	refused?: string;
	/** The skills that it can see; outside pi, those that its file names. */
	skills: string[];
	/** The tools that it gets if pi has them, which only a running pi knows. */
	unsure: string[];
	/** What it asks for and does not get, each with the reason and the setting. */
	warnings: string[];
	/** Whether it inherits the tools of a parent that is unknown here. */
	inherits: boolean;
	writing?: Writing;
	/** Tools that the user has to allow before it runs. */
	asksFor: string[];
}

export function toolsHere(asked: Agent, surroundings: ToolSurroundings): ToolsHere {
	const { config, pi } = surroundings;
	const { pool, warnings: poolWarnings } = usualPool(asked, config);
	// Only a worker knows what its kernel can enforce.
	const noTree = pool === undefined || isSandboxOff(config) ? surroundings.noTree : undefined;
	const agent = readOnlyUnlessEnforced(asked, noTree);
	const consent = surroundings.consent(agent);
	const wantsTree = agent.isolation === "worktree" && !agent.readonly;
	const inTree = wantsTree && noTree === undefined;
	const inPool = pool !== undefined;
	const question = { agent, config, active: pi?.active ?? PI_DEFAULTS, known: pi?.known, consent, inTree, inPool };
	const { tools, leftOut } = sortTools(question);
	const refused = whyRefused(question, tools, { pool, noTree });
	const skills = skillsHere(agent, tools, { known: pi?.skills, pool });
	const writing = writingHere(agent, surroundings);
	const off = whyOff(agent, config);
	return {
		...(off !== undefined && { off }),
		tools,
		...(refused !== undefined && { refused }),
		skills: skills.names,
		unsure: pi ? [] : tools.filter((name) => !isAlwaysThere(name)),
		warnings: [
			...poolWarnings,
			...(wantsTree && !inTree ? [`No tree is available: ${noTree}`] : []),
			...leftOutWarnings(leftOut, agent),
			...unreadableWarnings(agent),
			...skills.warnings,
			...networkWarnings(agent, config, writeScopeOf({ tools, config, inTree })),
			...limitWarnings(agent, config),
			...agent.warnings,
		],
		inherits: !pi && agent.tools.kind === "inherit",
		...(writing !== undefined && { writing }),
		asksFor: consent === "not_asked" ? writingTools(question) : [],
	};
}

/** The limits of its file that are cut, in the foreground or in the background. */
function limitWarnings(agent: Agent, config: ToolQuestion["config"]): string[] {
	const warnings = [false, true].flatMap((background) => effectiveLimits({ agent, background }, config).warnings);
	return [...new Set(warnings)];
}

/** What planning refuses once it knows the tools. */
function whyRefused(
	{ agent, config, known = [], inTree = false }: ToolQuestion,
	tools: readonly string[],
	{ pool, noTree }: { pool: string | undefined; noTree: string | undefined },
): string | undefined {
	const extensionOf = Object.fromEntries(
		known.flatMap(({ name, extension }) => (extension && tools.includes(name) ? [[name, extension]] : [])),
	);
	const plan = { tools: [...tools], extensions: Object.values(extensionOf), extensionOf };
	const write = writeScopeOf({ ...plan, config, inTree });
	const required = refusedByRequire({ ...plan, agent: agent.name, config, inTree });
	const travelling = { ...plan, sandbox: { write }, ...(agent.context === "fork" && { session: { fork: "" } }) };
	const refusal = required ?? (pool === undefined ? undefined : refusedByPool(pool, travelling));
	if (refusal) return refusal.error.message;
	const needsRing = config.subagents.sandbox.mode === "require" && noTree !== undefined;
	return needsRing ? unavailable(agent.name, noTree) : undefined;
}

/** The user's answer about an agent, if it counts: not under `require`, and not for a worker of a pool. */
export function writingHere(agent: Agent, { config, writing }: ToolSurroundings): Writing | undefined {
	const isClosed = config.subagents.sandbox.mode === "require" || usualPool(agent, config).pool !== undefined;
	return isClosed ? undefined : writing(agent);
}

function skillsHere(
	agent: Agent,
	tools: readonly string[],
	{ known, pool }: { known: readonly KnownSkill[] | undefined; pool: string | undefined },
) {
	const { skills: asked = [] } = agent;
	const names = asked === "all" ? ["all"] : asked;
	const { skills, warnings } = known
		? skillsFor({ agent, tools, known })
		: { skills: names.map((name) => ({ name })), warnings: [] };
	if (pool === undefined) return { names: skills.map(({ name }) => name), warnings };
	return { names: [], warnings: [...warnings, ...skillsStayHome(skills, pool)] };
}

/** The setting or line of its file that disables an agent. */
export const whyOff = ({ name, switchedOff }: Agent, { subagents }: ToolQuestion["config"]): string | undefined =>
	subagents.disabled.includes(name) ? "subagents.disabled in pi-geon.json" : switchedOff;

const isAlwaysThere = (name: string): boolean => PI_TOOLS.has(name) || OUR_TOOLS.includes(name);
