import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { useHome } from "../helpers/use-home.ts";
import { filesWith } from "./files-with.ts";
import { POOL_CONFIG, POOL_VARIABLE } from "./machines.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { makeCa, serveTls } from "./tls.ts";

const openHome = useHome();
let server: PostgresServer;
let folder = "";

beforeAll(async () => {
	server = await startPostgres();
	folder = await mkdtemp(join(tmpdir(), "pg-ca-"));
	await serveTls(server.url("postgres"), folder, makeCa(folder, "team-ca"));
});
afterAll(async () => {
	await server.stop();
	await rm(folder, { recursive: true, force: true });
});

test.each([
	[
		"a CA that did not sign it",
		(url: string) => `${url}?sslmode=verify-full&sslrootcert=${makeCa(folder, "other-ca").certificate}`,
		/certificate.*was not signed by a CA that this machine trusts/,
	],
	[
		"no such file",
		(url: string) => `${url}?sslmode=verify-full&sslrootcert=${folder}/nowhere.crt`,
		/Check the paths of certificates/,
	],
	["a wrong password", (url: string) => url.replace("@", "x@"), /Check the user name and the password/],
	["a database that is not there", (url: string) => `${url}x`, /does not exist.*Create it/s],
	["a port where nothing listens", (url: string) => url.replace(/:\d+\//, ":1/"), /Nothing listens there/],
	["a password with an @", (url: string) => url.replace("@", "@sec/ret@"), /write @ as %40/],
])("%s: says so with a remedy, and never the address", async (_name, wrong, says) => {
	const url = await server.newDatabase();
	const address = wrong(url);
	const home = await openHome({ config: POOL_CONFIG, env: { [POOL_VARIABLE]: address } });
	const password = new URL(url).password;
	for (const args of [
		["pool", "check"],
		["pool", "status"],
		["worker", "--pool", "team"],
	]) {
		const { code, stdout, stderr } = await piGeon(home, args);
		expect({ args, code }).toEqual({ args, code: 1 });
		expect(stderr).toMatch(says);
		expect(stdout + stderr).not.toContain(password);
		expect(stdout + stderr).not.toContain("sec/ret");
	}
	expect((await piGeon(home, ["doctor"])).stdout.replaceAll(/\s+/g, " ")).toMatch(says);
	expect(filesWith(home, [password])).toEqual([]);
});
