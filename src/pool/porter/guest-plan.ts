import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { SANDBOX_MODES } from "../../config/config.ts";
import { packageRoot } from "../../config/package-root.ts";
import { principalDir, principalDirs } from "../../config/principal-dirs.ts";
import { isInside } from "../../files/project-area.ts";
import { isLess, networkInWords } from "../../plan/network.ts";
import type { ChildSession, LaunchPlan, PlannedSandbox, Principal } from "../../plan/plan.ts";
import { hiddenPath } from "../../plan/sandbox.ts";
import { isIn } from "../../plan/tools.ts";
import { type NetworkSetting, narrowerNetwork } from "../../run/network.ts";
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

/** The plan of a run from another machine, with what this machine has and allows. Names what is missing if it refuses. */
export function guestPlan({ order, cwd, session, config, elapsedMs }: GuestFacts): LaunchPlan {
	const { pool, ...asked } = order.plan;
	refuseForbidden(asked, config);
	const { extensionOf, ...plan } = withLspHere(asked, config);
	const sandbox = plan.sandbox && sandboxHere(plan.sandbox, { config, cwd });
	return {
		...plan,
		guest: true,
		cwd,
		session,
		// The prompt names the working directory.
		prompt: plan.prompt.replaceAll(plan.cwd, cwd),
		extensions: plan.extensions.map(inPackage),
		...(extensionOf && {
			extensionOf: Object.fromEntries(Object.entries(extensionOf).map(([tool, file]) => [tool, inPackage(file)])),
		}),
		workedMs: elapsedMs,
		maxAttempts: pool?.maxAttempts ?? 1,
		...(sandbox && { sandbox }),
		warnings: [...plan.warnings, ...(plan.sandbox && sandbox ? lessNetwork(plan.sandbox, sandbox) : [])],
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
	const denied = tools.filter(
		(tool) => isIn(deny, tool, { restricted: true }) || (allow !== null && !isIn(allow, tool, { restricted: false })),
	);
	if (denied.length > 0) throw notAllowed(denied);
}

const notAllowed = (tools: readonly string[]): CannotTravel =>
	new CannotTravel(`The worker does not allow these tools: ${tools.join(", ")}.`);

type PlannedTools = Pick<LaunchPlan, "tools" | "extensions" | "extensionOf" | "lspActions" | "warnings">;

/** The lsp actions that both ends allow. If there are none, leaves the tool out with a warning, as on one machine. */
function withLspHere<Plan extends PlannedTools>(plan: Plan, { subagents }: Config): Plan {
	if (!plan.tools.includes("lsp")) return plan;
	const { allowLspTools, allowedLspActions } = subagents;
	const allowed: readonly string[] = allowLspTools ? allowedLspActions : [];
	const lspActions = plan.lspActions.filter((action) => allowed.includes(action));
	if (lspActions.length > 0) return { ...plan, lspActions };
	const tools = plan.tools.filter((tool) => tool !== "lsp");
	if (tools.length === 0) throw notAllowed(["lsp"]);
	const { lsp, ...extensionOf } = plan.extensionOf ?? {};
	const isNeeded = (file: string) => file !== lsp || Object.values(extensionOf).includes(file);
	const why = allowLspTools
		? "subagents.allowedLspActions allows none of its actions"
		: "subagents.allowLspTools is false";
	return {
		...plan,
		tools,
		lspActions,
		extensions: plan.extensions.filter(isNeeded),
		...(plan.extensionOf && { extensionOf }),
		warnings: [...plan.warnings, `lsp was left out: ${why} in the worker's pi-geon.json.`],
	};
}

/** A file of this package, by its path in it. */
function inPackage(place: string): string {
	const file = join(packageRoot(), place);
	if (isInside(packageRoot(), file)) return file;
	throw new CannotTravel(`The worker does not have the extension ${place}.`);
}

/** The stricter of both ends' settings. Paths and variables are those of this machine. */
function sandboxHere(asked: PlannedSandbox, { config, cwd }: Pick<GuestFacts, "config" | "cwd">): PlannedSandbox {
	const { mode, network, sockets, env, hide } = config.subagents.sandbox;
	const strictest = Math.max(SANDBOX_MODES.indexOf(mode), SANDBOX_MODES.indexOf(asked.mode));
	const wanted = plannedNetwork(asked);
	const reached = network === null ? wanted : narrowerNetwork(network, wanted);
	return {
		mode: SANDBOX_MODES[strictest] ?? "require",
		write: asked.write,
		...(typeof reached === "string" ? { network: reached } : { network: "allowlist", hosts: [...reached] }),
		sockets: asked.sockets && sockets,
		env: [...env],
		hide: [...hide.map((path) => hiddenPath(path, cwd)), ...principalDirs(config)],
	};
}

const plannedNetwork = ({ network, hosts = [] }: PlannedSandbox): NetworkSetting =>
	network === "allowlist" ? hosts : network;

function lessNetwork(asked: PlannedSandbox, here: PlannedSandbox): string[] {
	const [wanted, granted] = [plannedNetwork(asked), plannedNetwork(here)];
	// Without a sandbox, the whole network can be reached.
	if (here.mode === "off" || !isLess(granted, wanted)) return [];
	return [
		`The network was narrowed from ${networkInWords(wanted)} to ${networkInWords(granted)}: subagents.sandbox.network in the worker's pi-geon.json.`,
	];
}

/** The account of that name here: credentials never travel. */
function principalHere({ id }: Principal, config: Config): Principal {
	const here = config.agents.list.find((principal) => principal.id === id);
	if (!here)
		throw new CannotTravel(`The worker has no account for the agentId ${id} (agents.list in its pi-geon.json).`);
	return { id, ...(here.agentDir !== null && { agentDir: principalDir(here.agentDir) }) };
}
