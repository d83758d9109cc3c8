import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import { packageRoot } from "../config/package-root.ts";
import { isInside } from "../files/project-area.ts";
import { ancestors } from "../files/repository.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { isMcpTool } from "../run/pi-tools.ts";
import { ASK_TOOL } from "../run/question.ts";
import { quoted } from "../run/quoted.ts";
import type { LastPlan } from "./continued.ts";
import type { LaunchPlan, PlannedSandbox } from "./plan.ts";

/**
 * Each process of this machine that waits for the worker counts as an attempt. None of them does any of the work, so the
 * death of some must not lose the run.
 */
export const WAITING_ATTEMPTS = 1000;

interface PoolQuestion {
	/** The pool that the call names. */
	requested: string | undefined;
	agent: Pick<AgentDefinition, "name" | "pool" | "source">;
	/** The pool that the session keeps. */
	last: LastPlan | undefined;
	config: Config;
	cwd: string;
}

/** The pool whose workers do a run, if any. */
export function poolFor(question: PoolQuestion): { pool?: string; warnings: string[] } | Refusal {
	const { requested, agent, last, config, cwd } = question;
	const { pool: usual, warnings } = usualPool(agent, config);
	const name = requested ?? last?.pool ?? usual;
	if (name === undefined) return { warnings };
	if (!isConfigured(name, config)) {
		const known = config.pools.map((pool) => pool.name);
		const which = known.length === 0 ? "None is configured" : `Configured: ${known.join(", ")}`;
		return refuse(
			"INVALID_INPUT",
			`There is no pool ${quoted(name)}. ${which} (pools in pi-geon.json).`,
			"unknown_pool",
		);
	}
	if (!ancestors(cwd).some((folder) => existsSync(join(folder, ".git")))) {
		return cannot(name, `${cwd} is not in a git repository, and a worker gets its files as a git snapshot.`);
	}
	return { pool: name, warnings };
}

const isConfigured = (name: string, { pools }: Config): boolean => pools.some((pool) => pool.name === name);

/** The pool that does the runs of an agent if the call does not name another, and the session does not keep one. */
export function usualPool(agent: PoolQuestion["agent"], config: Config): { pool?: string; warnings: string[] } {
	const { pool: ofAgent, warnings } = poolOfAgent(agent, config);
	const pool = ofAgent ?? config.agents.defaults.subagents.pool;
	return { ...(pool !== null && { pool }), warnings };
}

/** A file may come from a machine that has the pool, so a missing pool is not a reason to refuse the run. */
function poolOfAgent(
	{ name, pool, source }: PoolQuestion["agent"],
	config: Config,
): { pool?: string; warnings: string[] } {
	if (pool === undefined) return { warnings: [] };
	const unused = (why: string) => ({ warnings: [`\`pool: ${pool}\` in the file of ${name} is not used: ${why}`] });
	// The user decides where the source is sent, and not a file in the repository.
	if (source === "project") return unused("a project may not send its source to a pool.");
	if (!isConfigured(pool, config))
		return unused("no such pool is configured (pools in pi-geon.json), so it runs here.");
	return { pool, warnings: [] };
}

/** The session and the models may not be known yet. */
type Travelling = Pick<LaunchPlan, "tools" | "extensions" | "extensionOf"> &
	Partial<Pick<LaunchPlan, "model" | "fallbackModels">> & {
		session?: Partial<LaunchPlan["session"]>;
		sandbox?: Pick<PlannedSandbox, "write"> | undefined;
	};

/** Refuses a plan that needs something that is not available on another machine. */
export function refusedByPool(name: string, plan: Travelling): Refusal | undefined {
	const { tools, extensions, extensionOf = {}, model, fallbackModels = [], session, sandbox } = plan;
	if (session?.fork !== undefined) {
		return cannot(name, "the conversation of the parent does not travel. Use context fresh.");
	}
	if (tools.includes(ASK_TOOL)) return cannot(name, "a subagent of a pool cannot ask the user (`ask: true`).");
	const isForeign = (file: string) => !isInside(packageRoot(), file);
	const lacking = tools.filter((tool) => isMcpTool(tool) || isForeign(extensionOf[tool] ?? packageRoot()));
	if (lacking.length > 0) {
		return cannot(name, `a worker does not have these tools of extensions and MCP servers: ${lacking.join(", ")}.`);
	}
	const others = extensions.filter(isForeign);
	if (others.length > 0) return cannot(name, `a worker does not have these extensions: ${others.join(", ")}.`);
	const provided = [model, ...fallbackModels].find((one) => (one?.extensions ?? []).length > 0);
	if (provided) {
		return cannot(
			name,
			`the model ${provided.provider}/${provided.id} comes from an extension, which does not travel.`,
		);
	}
	if (sandbox?.write === "checkout") {
		return cannot(name, "it would write in the checkout. Give the agent a tree of its own: `isolation: worktree`.");
	}
	return undefined;
}

const cannot = (name: string, why: string): Refusal =>
	refuse("INVALID_INPUT", `Pool ${name} cannot do this: ${why}`, "pool");

/** Skills are files of the user. */
export const skillsStayHome = (skills: readonly { name: string }[], pool: string): string[] =>
	skills.length === 0
		? []
		: [`Skills do not travel to pool ${pool}, so it goes without: ${skills.map(({ name }) => name).join(", ")}.`];
