import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { SANDBOX_MODES } from "../../config/config.ts";
import { packageRoot } from "../../config/package-root.ts";
import { principalDir, principalDirs } from "../../config/principal-dirs.ts";
import { isInside } from "../../files/project-area.ts";
import type { ChildSession, LaunchPlan, PlannedSandbox, Principal } from "../../plan/plan.ts";
import { narrowerNetwork } from "../../run/network.ts";
import type { RunOrder } from "../job.ts";
import { CannotTravel } from "../repository/pack.ts";

export interface GuestFacts {
	order: RunOrder;
	/** Where it works on this machine. */
	cwd: string;
	session: ChildSession;
	config: Config;
	/** How long workers have worked on it, on all machines together. */
	elapsedMs: number;
}

/** The least time that is left of a limit: enough to tell the child. */
const LEAST_MS = 1;

/** The plan of a run from another machine, with what this machine has and allows. Anything it lacks is refused by name. */
export function guestPlan({ order, cwd, session, config, elapsedMs }: GuestFacts): LaunchPlan {
	const { pool, extensionOf, ...plan } = order.plan;
	refuseForbidden(plan, config);
	const { limits } = plan;
	return {
		...plan,
		guest: true,
		cwd,
		session,
		// The prompt tells the child where it is.
		prompt: plan.prompt.replaceAll(plan.cwd, cwd),
		extensions: plan.extensions.map(inPackage),
		...(extensionOf && {
			extensionOf: Object.fromEntries(Object.entries(extensionOf).map(([tool, file]) => [tool, inPackage(file)])),
		}),
		limits: { ...limits, timeoutMs: Math.max(LEAST_MS, limits.timeoutMs - elapsedMs) },
		maxAttempts: pool?.maxAttempts ?? 1,
		...(plan.sandbox && { sandbox: sandboxHere(plan.sandbox, config) }),
		principal: principalHere(plan.principal, config),
		afterwards: {
			cleanup: "keep",
			archiveAfterMinutes: config.agents.defaults.subagents.archiveAfterMinutes,
			parentKept: true,
		},
	};
}

function refuseForbidden({ agent, tools }: Pick<LaunchPlan, "agent" | "tools">, config: Config): void {
	if (!config.subagents.enabled)
		throw new CannotTravel("Subagents are switched off on the worker (subagents.enabled).");
	if (config.subagents.disabled.includes(agent)) throw new CannotTravel(`${agent} is switched off on the worker.`);
	const { allow, deny } = config.tools.subagents.tools;
	const denied = tools.filter((tool) => deny.includes(tool) || (allow !== null && !allow.includes(tool)));
	if (denied.length > 0) throw new CannotTravel(`The worker does not allow these tools: ${denied.join(", ")}.`);
}

/** A file of this package, by its path in it. */
function inPackage(place: string): string {
	const file = join(packageRoot(), place);
	if (isInside(packageRoot(), file)) return file;
	throw new CannotTravel(`The worker does not have the extension ${place}.`);
}

/** The stricter of both ends' settings. Paths and variables are those of this machine. */
function sandboxHere(asked: PlannedSandbox, config: Config): PlannedSandbox {
	const { mode, network, sockets, env, hide } = config.subagents.sandbox;
	const strictest = Math.max(SANDBOX_MODES.indexOf(mode), SANDBOX_MODES.indexOf(asked.mode));
	const wanted = asked.network === "allowlist" ? (asked.hosts ?? []) : asked.network;
	const reached = network === null ? wanted : narrowerNetwork(network, wanted);
	return {
		mode: SANDBOX_MODES[strictest] ?? "require",
		write: asked.write,
		...(typeof reached === "string" ? { network: reached } : { network: "allowlist", hosts: [...reached] }),
		sockets: asked.sockets && sockets,
		env: [...env],
		hide: [...hide.filter((path) => path.startsWith("/")), ...principalDirs(config)],
	};
}

/** Credentials never travel: an account of that name must be configured here. */
function principalHere({ id }: Principal, config: Config): Principal {
	const here = config.agents.list.find((principal) => principal.id === id);
	if (!here)
		throw new CannotTravel(`The worker has no account for the agentId ${id} (agents.list in its pi-geon.json).`);
	return { id, ...(here.agentDir !== null && { agentDir: principalDir(here.agentDir) }) };
}
