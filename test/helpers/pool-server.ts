import { startPostgres } from "../pool/postgres-server.ts";
import { POOL_SERVER } from "./through-pool.ts";

/** Once before all tests that go through a pool. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
	// Each project of vitest.config.ts asks for it.
	if (process.env[POOL_SERVER] !== undefined) return undefined;
	const server = await startPostgres(["-c", "max_connections=400"]);
	process.env[POOL_SERVER] = server.url("postgres");
	return () => server.stop();
}
