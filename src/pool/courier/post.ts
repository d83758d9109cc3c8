import { homedir } from "node:os";
import { join, relative } from "node:path";
import { hiddenFromChild } from "../../child/ring.ts";
import { packageRoot } from "../../config/package-root.ts";
import { pendingChangesOf } from "../../ledger/changes.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import type { RunRecord } from "../../ledger/records.ts";
import type { LaunchPlan, Limits } from "../../plan/plan.ts";
import { treesRoot } from "../../plan/session-place.ts";
import type { Usage } from "../../run/usage.ts";
import { TREE_LIMITS } from "../../trees/measure.ts";
import { ORDER_VERSION, type RunOrder, requesterHere, storedOrder } from "../job.ts";
import { PRIORITY } from "../lane.ts";
import { LineReader } from "../line-file.ts";
import type { CourierQueue } from "../queue.ts";
import { CannotTravel, type PackedRepository, type packRepository } from "../repository/pack.ts";

export interface PostOrder {
	queue: CourierQueue;
	pack: typeof packRepository;
	ledger: Ledger;
	places: Places;
	agentDir: string;
	record: RunRecord;
	job: string;
	/** What other runs of the same conversation have used. */
	spentByOthers: Usage;
}

/** Posts a run: the order, the lines of its session, its repository and the job, all or nothing. */
export async function postRun(order: PostOrder): Promise<void> {
	const { queue, record, job } = order;
	refuseUndecidedChanges(order);
	const packed = await packedOf(order);
	await queue.post({
		job,
		requester: requesterHere(),
		priority: PRIORITY[record.mode],
		order: storedOrder(runOrder(order, packed)),
		bundle: packed.bundle,
		lines: new LineReader(record.plan.session.file).next(),
	});
}

/** Refuses undecided changes: a worker gets the checkout, which lacks them, but the child remembers having made them. */
function refuseUndecidedChanges({ ledger, record }: PostOrder): void {
	const pending = record.plan.tree && pendingChangesOf(ledger, record.sessionId);
	if (!pending) return;
	throw new CannotTravel(
		`The session has changes of run ${pending.runId} that are neither applied nor discarded, and they do not travel. Decide about them first: /subagents changes ${pending.runId}`,
	);
}

const packedOf = ({ record, places, agentDir, pack }: PostOrder): Promise<PackedRepository> => {
	const { plan, run } = record;
	return pack({
		cwd: plan.cwd,
		scratch: join(places.dir, "pool", run.id),
		limits: plan.tree ?? TREE_LIMITS,
		hidden: hiddenFromChild(plan, agentDir),
		secret: [agentDir, treesRoot(agentDir, homedir())],
	});
};

function runOrder({ record, spentByOthers }: PostOrder, { repository }: PackedRepository): RunOrder {
	const { plan, run, label } = record;
	return {
		version: ORDER_VERSION,
		kind: "run",
		runId: run.id,
		...(label !== undefined && { label }),
		requester: requesterHere(),
		plan: { ...travelling(plan), limits: { ...plan.limits, parentSession: leftOf(plan.limits, spentByOthers) } },
		repository,
	};
}

/**
 * The plan without hooks and route: hooks are programs of this machine, which also decides where an announce goes. Names our
 * own extensions by their path in this package.
 */
function travelling({ stopHook: _hook, route: _route, extensionOf, ...plan }: LaunchPlan): LaunchPlan {
	const inPackage = (file: string) => relative(packageRoot(), file);
	return {
		...plan,
		extensions: plan.extensions.map(inPackage),
		...(extensionOf && {
			extensionOf: Object.fromEntries(Object.entries(extensionOf).map(([tool, file]) => [tool, inPackage(file)])),
		}),
	};
}

/** What is left of the budgets that a conversation's runs share. */
export function leftOf({ parentSession }: Limits, spent: Usage): Limits["parentSession"] {
	const { maxTokens, maxCostUsd } = parentSession;
	const tokens = spent.input + spent.output + spent.cacheWrite;
	return {
		...(maxTokens !== undefined && { maxTokens: Math.max(0, maxTokens - tokens) }),
		...(maxCostUsd !== undefined && { maxCostUsd: Math.max(0, maxCostUsd - spent.cost) }),
	};
}
