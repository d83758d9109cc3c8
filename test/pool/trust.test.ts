import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { finalize } from "../e2e/child.ts";
import { eventually } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import { startModel } from "../helpers/model.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { filesWith } from "./files-with.ts";
import { announcesIn, commitProject, POOL_CONFIG, POOL_VARIABLE, sessionFileOf, startWorker } from "./machines.ts";
import { inDatabase, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { makeCa, serveTls } from "./tls.ts";

const openHome = useHome();
let server: PostgresServer;
let folder = "";

beforeAll(async () => {
	server = await startPostgres();
	folder = await mkdtemp(join(tmpdir(), "pg-ca-"));
});
afterAll(async () => {
	await server.stop();
	await rm(folder, { recursive: true, force: true });
});

const PASSWORDS = { anna: "secret-of-anna-7f3a", box: "secret-of-box-91cd" } as const;

/** The address of another role. */
function as(role: keyof typeof PASSWORDS, url: string): string {
	const changed = new URL(url);
	changed.username = role;
	changed.password = PASSWORDS[role];
	return changed.href;
}

/** The rights as docs/pool.md lists them, and a role of each kind. */
async function makeRoles(url: string): Promise<void> {
	const page = readFileSync(join(repositoryRoot, "docs", "pool.md"), "utf8");
	const [, grants = ""] = /^```sql\n([\s\S]*?)^```$/m.exec(page) ?? [];
	const roles = [...grants.matchAll(/CREATE ROLE (\w+)/g)].map(([, role]) => role);
	expect(roles).toEqual(["geon_requester", "geon_worker", "anna", "box"]);
	await inDatabase(url, async (client) => {
		for (const role of roles) await dropRole(client, role ?? "");
		await client.query(grants);
		for (const [role, password] of Object.entries(PASSWORDS)) {
			await client.query(`ALTER ROLE ${role} PASSWORD '${password}'`);
		}
	});
}

async function dropRole(client: Client, role: string): Promise<void> {
	const { rowCount } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
	if (rowCount) await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
}

/** Every row of every table of the pool, as text. */
const everythingIn = (url: string): Promise<string> =>
	inDatabase(url, async (client) => {
		const { rows } = await client.query<{ name: string }>(
			"SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'pi_geon%'",
		);
		const all: string[] = [];
		for (const { name } of rows) {
			const found = await client.query<{ row: string }>(`SELECT one::text AS row FROM ${name} AS one`);
			all.push(...found.rows.map(({ row }) => row));
		}
		return all.join("\n");
	});

const refused = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ code: "42501" });

const PROGRAMS = "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'";

describe("who is trusted with what", () => {
	test("a requester's role and a worker's role each do their part over TLS and no more, and no secret travels", async () => {
		const owner = await server.newDatabase();
		const ca = makeCa(folder, "team-ca");
		await serveTls(server.url("postgres"), folder, ca);
		const tls = (url: string, certificate = ca.certificate) => `${url}?sslmode=verify-full&sslrootcert=${certificate}`;

		const mayEnd = gate();
		const model = await startModel(async ({ isChild, messages, lastUserText }) => {
			if (!isChild) {
				const isTask = messages.at(-1)?.role === "user" && lastUserText.startsWith("spawn");
				return isTask
					? toolCall("sessions_spawn", { task: "look around", agent: "curious", pool: "team" })
					: text("Heard.");
			}
			if (!messages.some(({ role }) => role === "tool")) {
				// Not by its whole text: the command travels too.
				return toolCall("bash", { command: `echo begin; (${PROGRAMS}) | grep 'secret-of-[ab]'; echo end` });
			}
			await mayEnd.opened;
			return finalize("Looked around.");
		});
		const open = (url: string, more: object = {}) =>
			openHome({ model, config: POOL_CONFIG, env: { [POOL_VARIABLE]: url }, ...more });
		const admin = await open(tls(owner));
		const a = await open(tls(as("anna", owner)), {
			agents: { "curious.md": agentNamed("curious", "Look.", "tools: bash\nisolation: worktree") },
			files: { "NOTE.txt": "a note\n", ".gitignore": ".env\n" },
		});
		const b = await open(tls(as("box", owner)));
		a.closers.add(() => model.close());
		commitProject(a.project);
		writeFileSync(join(a.project, ".env"), "TOKEN=secret-of-a-file");

		// The owner of the database makes the tables and the roles.
		expect((await piGeon(admin, ["pool", "check"])).stdout).toMatch(/can be reached: PostgreSQL \d+\.\d+, TLSv1\.[23]/);
		await makeRoles(owner);

		const worker = await startWorker(b);
		expect((await piGeon(b, ["pool", "check"])).stdout).toContain("The role box may work on runs, but not post any");
		const check = await piGeon(a, ["pool", "check"]);
		expect(check.stdout).toContain("The role anna may post runs\n");
		expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining("there and back") });

		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn");
		const file = await sessionFileOf(rpc);
		await expect.poll(() => everythingIn(owner)).toContain("toolResult");
		const tables = await everythingIn(owner);
		// Its programs found nothing between the two.
		expect(tables).toMatch(/begin\\+nend/);
		const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
		for (const secret of [
			...Object.values(PASSWORDS),
			"secret-of-a-file",
			"scripted-key",
			a.env[POOL_VARIABLE] ?? "-",
		]) {
			expect(tables.includes(secret), `in the tables: ${secret}`).toBe(false);
			expect(processes.includes(secret), `in the list of processes: ${secret}`).toBe(false);
		}

		// Neither can do the other's part.
		await inDatabase(as("anna", owner), async (client) => {
			await refused(client.query("UPDATE pi_geon.outcomes SET body = ''"));
			await refused(
				client.query("INSERT INTO pi_geon.workers (pool, name, places, version, pi) VALUES ('team', 'x', 1, '', '')"),
			);
			await refused(client.query("CREATE TABLE pi_geon.more (id int)"));
		});
		await inDatabase(as("box", owner), async (client) => {
			await refused(client.query("INSERT INTO pi_geon.orders (job, body) VALUES (gen_random_uuid(), '')"));
			await refused(client.query("DELETE FROM pi_geon.orders"));
			await refused(client.query("UPDATE pi_geon.lanes SET total = 100"));
		});
		const limited = await piGeon(a, ["pool", "limit", "team", "--total", "9"]);
		expect(limited).toMatchObject({ code: 1, stderr: expect.stringContaining("docs/pool.md lists") });

		mayEnd.open();
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toContain("Looked around.");
		await rpc.close();
		await worker.leave();
		expect(worker.said()).toMatch(/Run [0-9a-f]{8}, curious: taken from .*\n.*finished after/);
		// What the database and the driver said is in logs. No password is.
		for (const home of [a, b, admin]) expect(filesWith(home, Object.values(PASSWORDS))).toEqual([]);
		expect(worker.said()).not.toContain("secret-of");
		expect(readFileSync(join(b.agentDir, "pi-geon", "parent.log"), "utf8")).not.toContain("trouble with the queue");
	});
});
