import type { Queries } from "./database.ts";
import { QUEUE_SCHEMA } from "./schema.ts";

type Right = "SELECT" | "INSERT" | "UPDATE" | "DELETE";
type PoolPart = "requester" | "worker";

/**
 * The permissions on our tables that each part needs. docs/pool.md lists them as GRANTs, and a test creates roles from that
 * list.
 */
const RIGHTS: Readonly<Record<PoolPart, Readonly<Record<string, readonly Right[]>>>> = {
	requester: {
		orders: ["SELECT", "INSERT", "DELETE"],
		lines: ["SELECT", "INSERT", "DELETE"],
		messages: ["SELECT", "INSERT", "DELETE"],
		bundles: ["SELECT", "INSERT", "DELETE"],
		progress: ["SELECT", "DELETE"],
		outcomes: ["SELECT", "DELETE"],
		workers: ["SELECT"],
		lanes: ["SELECT"],
	},
	worker: {
		orders: ["SELECT"],
		lines: ["SELECT", "INSERT", "UPDATE"],
		messages: ["SELECT", "UPDATE"],
		bundles: ["SELECT", "INSERT", "UPDATE"],
		progress: ["SELECT", "INSERT", "UPDATE"],
		outcomes: ["SELECT", "INSERT", "UPDATE"],
		workers: ["SELECT", "INSERT", "UPDATE", "DELETE"],
		lanes: ["SELECT"],
	},
};

/**
 * The permissions that both parts need on pg-boss's tables: its statements do not distinguish a requester from a worker.
 */
const QUEUE_RIGHTS: Readonly<Record<string, readonly Right[]>> = {
	version: ["SELECT", "UPDATE"],
	queue: ["SELECT", "UPDATE"],
	job: ["SELECT", "INSERT", "UPDATE", "DELETE"],
	job_common: ["SELECT", "INSERT", "UPDATE", "DELETE"],
	job_dependency: ["SELECT", "DELETE"],
};

export interface RightsHere {
	role: string;
	/** The GRANTs that each part lacks. */
	missing: Record<PoolPart, string[]>;
	/** Whether it may at least read the status of the pool. */
	readsStatus: boolean;
}

export async function rightsHere(database: Queries): Promise<RightsHere> {
	const tables = (part: PoolPart) => [
		...Object.entries(RIGHTS[part]).map(([table, rights]) => ({ table: `pi_geon.${table}`, rights })),
		...Object.entries(QUEUE_RIGHTS).map(([table, rights]) => ({ table: `${QUEUE_SCHEMA}.${table}`, rights })),
	];
	const asked = [...tables("requester"), ...tables("worker")].flatMap(({ table, rights }) =>
		rights.map((right) => [table, right] as const),
	);
	const { rows } = await database.query<{ role: string; name: string; granted: string; has: boolean }>(
		`SELECT current_user AS role, name, granted, has_table_privilege(name, granted) AS has
			FROM unnest($1::text[], $2::text[]) AS asked (name, granted)`,
		[asked.map(([table]) => table), asked.map(([, right]) => right)],
	);
	const role = rows[0]?.role ?? "";
	const has = (table: string, right: Right) =>
		rows.some((row) => row.name === table && row.granted === right && row.has);
	const missing = (part: PoolPart) =>
		tables(part).flatMap(({ table, rights }) => {
			const lacking = rights.filter((right) => !has(table, right));
			return lacking.length === 0 ? [] : [`GRANT ${lacking.join(", ")} ON ${table} TO "${role}"`];
		});
	return {
		role,
		missing: { requester: missing("requester"), worker: missing("worker") },
		readsStatus: ["orders", "progress", "workers", "lanes"].every((table) => has(`pi_geon.${table}`, "SELECT")),
	};
}
