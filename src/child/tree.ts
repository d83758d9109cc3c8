import { homedir } from "node:os";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { Redactor } from "../collect/redact/redactor.ts";
import { packageRoot } from "../config/package-root.ts";
import { isInside } from "../files/project-area.ts";
import { changeFiles } from "../ledger/change-files.ts";
import { findTree, treesLeft } from "../ledger/trees.ts";
import { foldersOfOurs } from "../plan/session-place.ts";
import type { Changes, ReportedChanges, TreeBase } from "../run/changes.ts";
import type { RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { type EndCause, FINALIZE_TOOL } from "../run/outcome.ts";
import { isMcpTool } from "../run/pi-tools.ts";
import { ASK_TOOL } from "../run/question.ts";
import type { Redacted } from "../run/redacted.ts";
import { probeRing } from "../sandbox/probe.ts";
import { withProgramsInRing } from "../sandbox/programs-in-ring.ts";
import { type Cleared, clearLeftovers } from "../trees/leftovers.ts";
import { TREE_LIMITS } from "../trees/measure.ts";
import {
	bringHome,
	type OpenTree,
	openTree,
	type TreePlace,
	type TreesPlace,
	treePlace,
} from "../trees/tree-of-run.ts";
import { TreeRefused } from "../trees/tree-refused.ts";
import { hiddenByPlan, hiddenFromChild } from "./ring.ts";
import { SetupFailed } from "./session-file.ts";
import type { ClaimedRun } from "./work.ts";

type TreeRun = Pick<ClaimedRun, "run" | "plan">;

export interface TreeServices {
	agentDir: string;
	redactor: Redactor;
	/** Absent: no run of this process has a tree. */
	trees?: TreesPlace;
}

/** The tree that a run works in. */
export interface ChildTree extends TreePlace {
	/** An addition to the child's prompt about its tree. */
	note: string;
	/** Warnings for the requester, if the tree is open from the start. */
	warnings: string[];
	/** Makes it, if it does not exist yet. */
	open(): Promise<OpenTree>;
	/** The user's files that git reads from inside the tree, once it is open. */
	borrows(): string[];
}

/**
 * The tree of a run; undefined if its plan has none. Without a ring around it, there is no tree either. It is made at the
 * first tool call, unless something may look for it earlier.
 */
export async function treeForRun(record: TreeRun, services: TreeServices): Promise<ChildTree | undefined> {
	const { run, plan } = record;
	const { tree, session, tools, extensions } = plan;
	const { trees } = services;
	if (!tree || !trees) return undefined;
	const probe = await probeRing();
	if (!probe.can) {
		throw new SetupFailed(
			`It was supposed to write in a tree of its own, but the kernel cannot confine it there. ${probe.why}`,
		);
	}
	let opening: Promise<OpenTree> | undefined;
	let borrows: string[] = [];
	const open = () => {
		opening ??= openTreeOf(record, services).then((opened) => {
			borrows = opened.borrows;
			return opened;
		});
		return opening;
	};
	const canWait =
		tree.prefix !== undefined &&
		run.attempt === 1 &&
		!session.resumed &&
		!tools.some(isMcpTool) &&
		extensions.every((file) => isInside(packageRoot(), file));
	if (canWait) {
		const place = treePlace(trees, { runId: run.id, sessionId: session.id, prefix: tree.prefix ?? "" });
		return { ...place, note: "", warnings: [], open, borrows: () => borrows };
	}
	const opened = await open();
	return { ...opened, note: treeNote(opened), open, borrows: () => borrows };
}

async function openTreeOf({ run, plan }: TreeRun, { agentDir, trees }: TreeServices): Promise<OpenTree> {
	const { tree, session, cwd } = plan;
	if (!tree || !trees) throw new Error(`Run ${run.id} has no tree.`);
	try {
		return await openTree(trees, {
			runId: run.id,
			sessionId: session.id,
			cwd,
			limits: tree,
			link: tree.link,
			submodules: tree.submodules,
			hidden: hiddenFromChild(plan, agentDir),
			secret: [agentDir],
		});
	} catch (error) {
		if (error instanceof TreeRefused) throw new SetupFailed(`It cannot get a tree to write in: ${error.message}`);
		throw error;
	}
}

const treeNote = ({ carried, warnings }: Pick<OpenTree, "carried" | "warnings">): string =>
	[
		...(carried === undefined
			? []
			: ["What you changed before in this session is in your copy again: the user has not decided about it yet."]),
		...warnings,
	].join("\n");

/** Makes the tree before the first tool works in it. */
export const treeGuard =
	(
		tree: ChildTree,
		{ onOpen, onFailure }: { onOpen(tree: OpenTree): void; onFailure(error: unknown): void },
	): ExtensionFactory =>
	(pi) => {
		let isReported = false;
		pi.on("tool_call", async ({ toolName }) => {
			if (isReported || toolName === FINALIZE_TOOL || toolName === ASK_TOOL) return undefined;
			try {
				const opened = await tree.open();
				// Several calls may have waited for it, but it is reported once.
				if (!isReported) onOpen(opened);
				isReported = true;
				return undefined;
			} catch (error) {
				onFailure(error);
				return { block: true, reason: messageOf(error) };
			}
		});
	};

export interface TreeBroughtHome {
	changes?: ReportedChanges<Redacted>;
	/** Why nothing was brought home. The run has then failed, whatever its child said. */
	notHarvested?: NotHarvested;
}

interface NotHarvested {
	problem: string;
	tree: string;
}

export const NOTHING_HOME: TreeBroughtHome = {};

/** A run whose work was not brought home has failed. */
export function causeAfterHarvest(cause: EndCause, { notHarvested }: TreeBroughtHome): EndCause {
	if (!notHarvested || cause.kind !== "finalized") return cause;
	return { kind: "not_harvested", ...notHarvested, result: cause.finalized.result };
}

export const notHarvestedWarning = ({ problem, tree }: NotHarvested): string =>
	`What it changed could not be brought home: ${problem} The work is still in ${tree}`;

/** Brings home what a run changed in its tree, if it had one, however it ended. */
export async function bringTreeHome(
	{ run, plan }: TreeRun,
	{ agentDir, trees, redactor: { redact } }: TreeServices,
): Promise<TreeBroughtHome> {
	const { tree: limits } = plan;
	const known = limits && trees && findTree(trees.ledger, run.id);
	if (!limits || !trees || !known) return NOTHING_HOME;
	const place = { scratch: trees.places.scratch, hidden: hiddenByPlan(plan, agentDir) };
	const home = await withProgramsInRing(place, (inRing) => bringHome(trees, run.id, { limits, inRing })).catch(
		(error: Error) => ({ notHarvested: error.message, tree: known.folder }),
	);
	if (!home) return NOTHING_HOME;
	if ("notHarvested" in home) return { notHarvested: { problem: home.notHarvested, tree: home.tree } };
	const { base } = known;
	if (!base) return NOTHING_HOME;
	return { changes: reportedChanges(home.changes, { base, runId: run.id, trees, redactor: { redact } }) };
}

/** Cleans up trees of runs whose host died before it could bring their changes home. Undefined: there are none. */
export async function clearLeftTrees(
	{ agentDir, trees }: Required<Pick<TreeServices, "agentDir" | "trees">>,
	clearing: { at: number; retentionDays: number },
): Promise<Cleared | undefined> {
	if (!treesLeft(trees.ledger).some(({ runEnded }) => runEnded)) return undefined;
	const hidden = foldersOfOurs(agentDir, homedir());
	return withProgramsInRing({ scratch: trees.places.scratch, hidden }, (inRing) =>
		clearLeftovers(trees, { ...clearing, how: { limits: TREE_LIMITS, inRing } }),
	);
}

interface ChangesSource {
	base: Pick<TreeBase, "commit" | "dirty">;
	runId: RunId;
	trees?: Pick<TreesPlace, "places">;
	redactor: Pick<Redactor, "redact">;
}

/** The child chose the names of its files, so they are redacted too. */
export function reportedChanges(
	changes: Changes | undefined,
	{ base, runId, trees, redactor: { redact } }: ChangesSource,
): ReportedChanges<Redacted> {
	const { commit, dirty } = base;
	const from = { base: { commit, dirty }, state: "pending" } as const;
	if (!changes) {
		return { ...from, commit: null, files: [], total: { files: 0, added: 0, removed: 0 }, warnings: [] };
	}
	const kept = trees && changeFiles(trees.places, runId);
	return {
		...from,
		commit: changes.commit,
		files: changes.files.map(({ path, from, ...file }) => ({
			...file,
			path: redact(path),
			...(from !== undefined && { from: redact(from) }),
		})),
		total: changes.total,
		...(kept && { patch: kept.patch, bundle: kept.bundle }),
		sha256: changes.sha256,
		warnings: changes.warnings.map(redact),
	};
}
