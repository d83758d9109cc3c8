import { expect, test } from "vitest";
import { NO_LOG } from "../../src/log/log.ts";
import { checkPool, type PoolFinding } from "../../src/pool/check.ts";
import { PoolDatabase } from "../../src/pool/database.ts";
import { whyUnreachable } from "../../src/pool/unreachable.ts";
import { inDatabase, usePostgres } from "./postgres.ts";

const postgres = usePostgres();

const addWorker = (url: string, name: string, version: string) =>
	inDatabase(url, (client) =>
		client.query("INSERT INTO pi_geon.workers (pool, name, places, version, pi) VALUES ('team', $1, 2, $2, '1.5.0')", [
			name,
			version,
		]),
	);

async function findings(url: string): Promise<PoolFinding[]> {
	const database = await PoolDatabase.open({ url, name: "team", log: NO_LOG });
	try {
		const { signal } = new AbortController();
		const found: PoolFinding[] = [];
		const check = { database, pool: "team", version: "1.0.0", signal, withinMs: 300 };
		for await (const finding of checkPool(check)) found.push(finding);
		return found;
	} finally {
		await database.close();
	}
}

const said = (found: readonly PoolFinding[]): string[] => found.map(({ level, what }) => `${level}: ${what}`);

test("a check says which worker has another version, and that none answers", async () => {
	const url = await postgres.newDatabase();
	expect(said(await findings(url)).at(-1)).toBe("warn: Pool team has no worker");
	await addWorker(url, "new:1", "1.0.0");
	await addWorker(url, "old:2", "0.9.0");
	const found = await findings(url);
	expect(said(found)).toEqual([
		expect.stringMatching(/^pass: The database of pool team can be reached: PostgreSQL \d+\.\d+, without TLS$/),
		"pass: The clocks of this machine and of the database agree",
		"pass: The role postgres may post runs and work on them",
		"warn: Workers of pool team with another version: old:2 has 0.9.0; here is 1.0.0",
		"warn: No worker of pool team answered within 0.3 s",
	]);
	expect(found.at(-1)?.remedy).toContain("pi-geon pool status team");
	// What it tried is gone again.
	const left = await inDatabase(url, (client) => client.query("SELECT 1 FROM pi_geon.orders"));
	expect(left.rowCount).toBe(0);
});

test("a role that lacks a right is shown the GRANT for it", async () => {
	const url = await postgres.newDatabase();
	await findings(url);
	await inDatabase(url, async (client) => {
		await client.query("CREATE ROLE half_a_requester LOGIN PASSWORD 'p'");
		await client.query("GRANT USAGE ON SCHEMA pi_geon, pi_geon_queue TO half_a_requester");
		await client.query("GRANT ALL ON ALL TABLES IN SCHEMA pi_geon, pi_geon_queue TO half_a_requester");
		await client.query("REVOKE INSERT ON pi_geon.orders, pi_geon.outcomes FROM half_a_requester");
	});
	const address = new URL(url);
	address.username = "half_a_requester";
	address.password = "p";
	const rights = (await findings(address.href)).find(({ what }) => what.includes("role"));
	expect(rights).toEqual({
		level: "fail",
		what: "The role half_a_requester may neither post runs nor work on them",
		remedy: expect.stringContaining('GRANT INSERT ON pi_geon.orders TO "half_a_requester"'),
	});
});

test("a host with several addresses that all refuse has one message, of the first", async () => {
	const refused = Object.assign(new Error("connect ECONNREFUSED ::1:1"), { code: "ECONNREFUSED" });
	expect(whyUnreachable(new AggregateError([refused]))).toEqual({
		problem: "connect ECONNREFUSED ::1:1",
		remedy: expect.stringContaining("Nothing listens there."),
	});
});
