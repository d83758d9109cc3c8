import { createHash } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { realPath } from "../files/real-path.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { readPlan, storedPlan } from "../plan/stored-plan.ts";
import type { RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";

/** Increment this when an older worker cannot do what a newer requester asks. */
export const ORDER_VERSION = 1;

/** The requester: a user on a machine. Fairness applies between requesters. */
export const requesterHere = (): string => `${userName()}@${hostname()}`;

function userName(): string {
	try {
		return userInfo().username;
	} catch (error) {
		// A user id without a name, as in some containers.
		if (error instanceof Error && "code" in error) return `uid-${process.getuid?.() ?? 0}`;
		throw error;
	}
}

/**
 * A run becomes the same job in every process that posts it, so that posting it twice has no effect. Its id alone is not
 * enough: run ids are unique in one ledger only, and the id of a removed run may be used again.
 */
export function jobIdOf(run: { ledger: string; id: RunId; createdAt: number }): string {
	const facts = [hostname(), realPath(run.ledger), run.id, run.createdAt];
	const hex = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
		"-",
	);
}

/** The repository of a run that goes to a worker. */
export interface TravellingRepository {
	/** Names it on a worker, so that the worker fetches it only once. */
	key: string;
	/** Where a worker gets the history, with its own credentials. Absent: the bundle has all of it. */
	remote?: string;
	/** The checkout when the run was posted, as a commit. */
	commit: string;
	/** The commit that the checkout was on. */
	head?: string;
	dirty: boolean;
	/** The path from its top to the working directory. */
	prefix: string;
	/** Whether there is a bundle. Without one, the remote has everything. */
	bundled: boolean;
}

/** The order to work on a run. */
export interface RunOrder {
	version: number;
	kind: "run";
	runId: RunId;
	label?: string;
	requester: string;
	plan: LaunchPlan;
	repository: TravellingRepository;
}

/** The order to a worker to show that it works. */
export interface CheckOrder {
	version: number;
	kind: "check";
	requester: string;
}

export type Order = RunOrder | CheckOrder;

export const storedOrder = (order: Order): string =>
	JSON.stringify(order.kind === "run" ? { ...order, plan: JSON.parse(storedPlan(order.plan)) } : order);

/** The order, or what is wrong with it: another version or another program may have written the row. */
export function readOrder(stored: string): Order | string {
	const order = parsedLine(stored);
	if (!isRecord(order) || typeof order.requester !== "string") return "The order cannot be read.";
	if (order.version !== ORDER_VERSION) {
		return `The order has version ${String(order.version)}, and this worker knows version ${ORDER_VERSION}: use the same pi-geon on both ends.`;
	}
	if (order.kind === "check") return { version: ORDER_VERSION, kind: "check", requester: order.requester };
	const plan = readPlan(order.plan);
	if (plan === "newer") return "The plan is of a newer pi-geon: use the same one on both ends.";
	if (order.kind !== "run" || !plan || typeof order.runId !== "string" || !isTravellingRepository(order.repository)) {
		return "The order cannot be read.";
	}
	return { ...order, plan } as unknown as RunOrder;
}

const isTravellingRepository = (value: unknown): value is TravellingRepository =>
	isRecord(value) &&
	typeof value.key === "string" &&
	/^[0-9a-f]{16}$/.test(value.key) &&
	typeof value.commit === "string" &&
	/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value.commit) &&
	(value.remote === undefined || typeof value.remote === "string") &&
	typeof value.prefix === "string" &&
	typeof value.bundled === "boolean";
