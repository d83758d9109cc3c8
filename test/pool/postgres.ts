import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

export { inDatabase } from "./postgres-server.ts";

/** A real PostgreSQL for the tests of a file. Each test gets a database of its own. */
export interface TestPostgres {
	/** The address of a new, empty database. */
	newDatabase(): Promise<string>;
	/** Ends the server as a crash does, and starts it again. */
	crash(): Promise<void>;
}

export function usePostgres(): TestPostgres {
	let server: PostgresServer | undefined;
	beforeAll(async () => {
		server = await startPostgres();
	});
	afterAll(() => server?.stop());
	const running = (): PostgresServer => {
		if (!server) throw new Error("PostgreSQL is not running.");
		return server;
	};
	return { newDatabase: () => running().newDatabase(), crash: () => running().crash() };
}
