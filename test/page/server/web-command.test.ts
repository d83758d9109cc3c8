import { createHmac } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placesIn } from "../../../src/ledger/places.ts";
import { PROOF_ROUTE, PROOF_WORDS } from "../../../src/page/api/routes.ts";
import { piGeon } from "../../cli/pi-geon.ts";
import { command } from "../../e2e/commands.ts";
import { eventually } from "../../e2e/ledger-of.ts";
import type { Home } from "../../helpers/home.ts";
import { ANY_PI, startRpc } from "../../helpers/pi.ts";
import { useHome } from "../../helpers/use-home.ts";
import { servePageOf } from "../served.ts";

const openHome = useHome();

const pageFiles = (home: Home) => placesIn(home.agentDir).page;
const addressOf = (home: Home) =>
	JSON.parse(readFileSync(pageFiles(home).address, "utf8")) as { pid: number; token: string; port: number };
const hello = (origin: string, token: string) =>
	fetch(`${origin}/api/hello`, { headers: { Authorization: `Bearer ${token}` } });

describe("pi-geon web", () => {
	test("prints an address, is found by the next one, and leaves nothing", async () => {
		const home = await openHome({});
		const page = await servePageOf(home);
		expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/);
		expect((await hello(page.origin, page.token)).status).toBe(200);
		const { address, door } = pageFiles(home);
		for (const file of [address, door]) expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(readFileSync(door, "utf8")).toContain(page.url);
		const { pid } = addressOf(home);
		if (process.platform === "linux") {
			// What other users of the machine can see.
			for (const file of ["cmdline", "environ"]) {
				expect(readFileSync(`/proc/${pid}/${file}`, "utf8")).not.toContain(page.token);
			}
		}
		expect(await piGeon(home, ["web", "--no-open"])).toEqual({ code: 0, stdout: `${page.url}\n`, stderr: "" });
		const other = await piGeon(home, ["web", "--no-open", "--port", "1"]);
		expect(other).toMatchObject({ code: 0, stdout: `${page.url}\n`, stderr: expect.stringContaining("another port") });
		expect(JSON.parse((await piGeon(home, ["web", "--json"])).stdout)).toEqual({ url: page.url });

		page.kill("SIGINT");
		expect((await page.ended).code).toBe(130);
		expect([existsSync(address), existsSync(door)]).toEqual([false, false]);
		await expect(hello(page.origin, page.token)).rejects.toThrow();
	});

	test("takes the place of one that was killed, so that its pages continue, and proves to them that it may", async () => {
		const home = await openHome({});
		const killed = await servePageOf(home);
		killed.kill("SIGKILL");
		await killed.ended;
		const again = await servePageOf(home);
		expect(again.url).toBe(killed.url);
		const nonce = "0123456789abcdef".repeat(2);
		const proof = await fetch(`${again.origin}${PROOF_ROUTE}?nonce=${nonce}`);
		expect(await proof.text()).toBe(createHmac("sha256", again.token).update(`${PROOF_WORDS}${nonce}`).digest("hex"));
		for (const bad of ["", "x", nonce.slice(1), nonce.repeat(5), `${nonce.slice(2)}%0a`]) {
			expect((await fetch(`${again.origin}${PROOF_ROUTE}?nonce=${bad}`)).status).toBe(400);
		}
		again.kill("SIGKILL");
		await again.ended;

		// Another program has its port now: a token that it may have been told is of no use to it.
		const taken = createServer();
		await new Promise<void>((resolve) => taken.listen({ host: "127.0.0.1", port: again.port }, resolve));
		const elsewhere = await servePageOf(home);
		expect(elsewhere.port).not.toBe(again.port);
		expect(elsewhere.token).not.toBe(again.token);
		const refused = await piGeon(await openHome({}), ["web", "--no-open", "--port", String(again.port)]);
		expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("cannot be used") });
		await new Promise((resolve) => taken.close(resolve));
		elsewhere.kill("SIGTERM");
		expect((await elsewhere.ended).code).toBe(0);

		for (const broken of ["", "{", "{}", '{"pid":1,"port":1,"token":"x","url":"http://127.0.0.1:1/#x"}']) {
			writeFileSync(pageFiles(home).address, broken);
			const page = await servePageOf(home);
			expect(addressOf(home).token).toBe(page.token);
			page.kill("SIGTERM");
			await page.ended;
		}
	});

	test("is not for subagents, takes a port that is one, and ends with its parent if it should", async () => {
		const home = await openHome({});
		const inside = await piGeon(home, ["web", "--no-open"], { env: { PI_SUBAGENT_DEPTH: "1" } });
		expect(inside).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Inside a subagent") });
		for (const port of ["0", "65536", "http", "-1", "1.5"]) {
			expect((await piGeon(home, ["web", `--port=${port}`])).code).toBe(2);
		}
		const withParent = await piGeon(home, ["web", "--with-parent"]);
		expect(withParent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:/), stderr: "" });
		expect(existsSync(pageFiles(home).address)).toBe(false);
	});
});

test("/subagents web opens the page, keeps its token out of the session, and ends it with pi", async () => {
	const home = await openHome({ pi: ANY_PI });
	const programs = join(home.scratch, "programs");
	const opened = join(home.scratch, "opened");
	mkdirSync(programs);
	for (const name of ["xdg-open", "open"]) {
		writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\n`);
		chmodSync(join(programs, name), 0o755);
	}
	const rpc = startRpc(home, { env: { PATH: `${programs}:${home.env.PATH}` } });
	expect((await command(rpc, "/subagents web")).text).toMatch(/^The live page opens in your browser\./);
	const { token, port, pid } = addressOf(home);
	expect((await hello(`http://127.0.0.1:${port}`, token)).status).toBe(200);
	await eventually(() => expect(readFileSync(opened, "utf8")).toBe(`${pageFiles(home).door}\n`));
	await command(rpc, "/subagents web");
	expect(addressOf(home).pid).toBe(pid);
	expect(JSON.stringify(rpc.events)).not.toContain(token);
	await rpc.close();
	// That its process ends too is looked at after each test.
	await eventually(() => expect(existsSync(pageFiles(home).address)).toBe(false));
});
