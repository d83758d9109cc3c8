import type { AgentDefinition } from "../agents/definition.ts";
import type { Config } from "../config/config.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import { isGeneral } from "./general.ts";
import type { ParentFacts } from "./launch.ts";
import { nameOf } from "./left-out.ts";
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
 * write in the checkout. Where the kernel cannot confine a child to its tree there is none, and the child only reads.
 */
export async function treeFor(question: TreeQuestion): Promise<{ tree?: PlannedTree; warnings: string[] } | Refusal> {
	const { agent, config, parent } = question;
	const { sandbox, allowWrite } = config.subagents;
	const isAskedFor = agent.isolation === "worktree";
	if (!isAskedFor && (!isGeneral(agent) || allowWrite)) return { warnings: [] };
	if (!wouldWrite(question)) return { warnings: [] };
	const without = (why: string) => ({
		warnings: [`${capitalized(nameOf(agent))} cannot get a tree to write in, so it only reads: ${why}`],
	});
	if (sandbox.mode === "off") return without("subagents.sandbox.mode is off in pi-geon.json.");
	const why = await parent.ringTrouble?.();
	if (why !== undefined) return without(`the kernel cannot keep it there. ${why}`);
	const tree: PlannedTree = { ...config.subagents.worktree, link: [...config.subagents.worktree.link] };
	const found = await parent.askForTree?.(parent.cwd, tree);
	if (!found || "prefix" in found) return { tree: { ...tree, ...found }, warnings: [] };
	// A requester that asked for a tree wants to write. A child without a role may not need to.
	if (!isAskedFor) return without(found.message);
	return refuse("INVALID_INPUT", `${agent.name} cannot get a tree to write in: ${found.message}`, found.reason);
}

function wouldWrite({ agent, config, parent }: TreeQuestion): boolean {
	const { activeTools: active, knownTools: known, isAbsent = false } = parent;
	const { tools } = sortTools({ agent, config, active, known, onRecord: isAbsent, inTree: true });
	return tools.some((name) => !onlyReads(name, config));
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
