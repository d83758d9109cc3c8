import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import type { WriteScope } from "../run/sandbox-report.ts";
import { isGeneral } from "./general.ts";
import type { ParentFacts } from "./launch.ts";
import { nameOf } from "./left-out.ts";
import { SANDBOX_OFF } from "./network.ts";
import type { PlannedTree } from "./plan.ts";
import { onlyReads, sortTools } from "./tools.ts";

/** Why a checkout cannot be copied. */
export interface TreeTrouble {
	reason: "no_snapshot" | "snapshot_too_large";
	message: string;
}

/** Asks whether a tree could be made of a checkout now, and where in it the working directory would be. */
export type AskForTree = (cwd: string, tree: PlannedTree) => Promise<TreeTrouble | { prefix: string }>;

export interface TreeQuestion {
	agent: AgentDefinition;
	config: Config;
	parent: Pick<ParentFacts, "cwd" | "activeTools" | "knownTools" | "isAbsent" | "ringTrouble" | "askForTree">;
}

/**
 * The tree that a run writes in. An agent has one if its file asks for it; a child without a role has one unless it may
 * write in the checkout. Where the kernel cannot confine a child to its tree there is none, and `noTree` says why.
 */
export async function treeFor(question: TreeQuestion): Promise<{ tree?: PlannedTree; noTree?: string } | Refusal> {
	const { agent, config, parent } = question;
	const { sandbox, allowWrite } = config.subagents;
	const isAskedFor = agent.isolation === "worktree";
	if (!isAskedFor && (!isGeneral(agent) || allowWrite)) return {};
	if (!wouldWrite(question)) return {};
	if (sandbox.mode === "off") return { noTree: SANDBOX_OFF };
	const why = await parent.ringTrouble?.();
	if (why !== undefined) return { noTree: `the kernel cannot confine it there. ${why}` };
	const { link, maxFiles, maxBytes, submodules } = config.subagents.worktree;
	const tree: PlannedTree = { link: [...link], maxFiles, maxBytes, submodules };
	const found = await parent.askForTree?.(parent.cwd, tree);
	if (!found || "prefix" in found) return { tree: { ...tree, ...found } };
	// A requester that asked for a tree wants to write. A child without a role may not need to.
	if (!isAskedFor) return { noTree: found.message };
	return refuse("INVALID_INPUT", `${agent.name} cannot get a tree to write in: ${found.message}`, found.reason);
}

/** Says why a child has no tree, once it is known whether the user lets it write in the checkout instead. */
export function noTreeWarning(agent: AgentDefinition, why: string, write: WriteScope): string {
	const who = capitalized(nameOf(agent));
	if (write !== "checkout") return `${who} cannot get a tree to write in, so it only reads: ${why}`;
	return `${who} cannot get a tree, so it writes in the checkout, as the user allowed: ${why}`;
}

function wouldWrite({ agent, config, parent }: TreeQuestion): boolean {
	const { activeTools: active, knownTools: known, isAbsent = false } = parent;
	const { tools } = sortTools({ agent, config, active, known, onRecord: isAbsent, inTree: true });
	return tools.some((name) => !onlyReads(name, config));
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
