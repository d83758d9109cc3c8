import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { ACTION_ROUTES, ROUTES } from "../../../src/page/api/routes.ts";
import { useScratch } from "../../ledger/scratch.ts";
import { type Asked, usePages } from "./a-page.ts";

const scratch = useScratch();
const openPage = usePages();

const CSP =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const API = [...Object.values(ROUTES), ...Object.values(ACTION_ROUTES)].map((path) => path.replace(":id", "0badcafe"));

describe("the page's server", () => {
	test("answers 401 and nothing else without the right token, whatever is asked for", async () => {
		const { ask, page } = await openPage(scratch.folder());
		const wrong = [
			undefined,
			"",
			"Bearer",
			"Bearer ",
			`Bearer ${page.token}x`,
			`Bearer ${page.token.slice(1)}`,
			`bearer ${page.token}`,
			`Basic ${page.token}`,
			page.token,
		];
		for (const path of [...API, "/api", "/api/", "/api/nothing", "/api/runs/..%2f..%2fetc"]) {
			for (const method of ["GET", "POST", "OPTIONS", "PUT", "DELETE"]) {
				const { status, body } = await ask(path, { method, headers: { Authorization: undefined } });
				expect([method, path, path === "/api" ? 401 : status, body]).toEqual([method, path, 401, ""]);
			}
		}
		for (const Authorization of wrong) {
			const { status, body, headers } = await ask(ROUTES.hello, { headers: { Authorization } });
			expect([Authorization, status, body]).toEqual([Authorization, 401, ""]);
			expect(headers["www-authenticate"]).toBeUndefined();
		}
		// Neither where addresses and cookies carry it.
		expect((await ask(`${ROUTES.hello}?token=${page.token}`, { headers: { Authorization: undefined } })).status).toBe(
			401,
		);
		const cookie = { Authorization: undefined, Cookie: `token=${page.token}` };
		expect((await ask(ROUTES.hello, { headers: cookie })).status).toBe(401);
	});

	test("answers 421 to every other Host, also with the token", async () => {
		const { ask, page } = await openPage(scratch.folder());
		const others = [
			"evil.example",
			`evil.example:${page.port}`,
			"127.0.0.1",
			"localhost",
			`127.0.0.1:${page.port + 1}`,
			`127.0.0.1.nip.io:${page.port}`,
			`127.0.0.2:${page.port}`,
			`0.0.0.0:${page.port}`,
			`LOCALHOST:${page.port}`,
			`localhost.:${page.port}`,
			`user@127.0.0.1:${page.port}`,
		];
		for (const Host of others) {
			for (const path of ["/", "/page.js", ROUTES.hello]) {
				const { status, body } = await ask(path, { headers: { Host } });
				// What is not even a host name is refused before us.
				expect([Host, [400, 421].includes(status)]).toEqual([Host, true]);
				expect(body).toBe("");
			}
		}
		for (const Host of [`127.0.0.1:${page.port}`, `localhost:${page.port}`, `[::1]:${page.port}`]) {
			expect((await ask(ROUTES.hello, { headers: { Host } })).status).toBe(200);
		}
	});

	test("sends what keeps a browser from doing more with every answer", async () => {
		const { ask } = await openPage(scratch.folder());
		const answers = [
			await ask("/"),
			await ask("/page.js"),
			await ask("/nothing"),
			await ask(ROUTES.hello),
			await ask(ROUTES.overview), // 503: there is no ledger.
			await ask(ROUTES.hello, { headers: { Authorization: undefined } }),
			await ask(ROUTES.hello, { headers: { Host: "evil.example" } }),
			await ask("/api/runs/0badcafe/stop", { method: "POST", body: "{" }),
		];
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 503, 401, 421, 400]);
		for (const { headers } of answers) {
			expect(headers).toMatchObject({
				"content-security-policy": CSP,
				"x-content-type-options": "nosniff",
				"referrer-policy": "no-referrer",
				"cross-origin-opener-policy": "same-origin",
				"cross-origin-resource-policy": "same-origin",
				"cache-control": "no-store",
			});
			expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
			expect(headers["set-cookie"]).toBeUndefined();
		}
		expect(answers.slice(0, 2).map(({ headers }) => headers["content-type"])).toEqual([
			"text/html; charset=utf-8",
			"text/javascript; charset=utf-8",
		]);
	});

	test("takes a POST only as JSON, from its own page, and of a bounded size", async () => {
		const { ask } = await openPage(scratch.folder());
		const stop = (asked: Asked) => ask("/api/runs/0badcafe/stop", { method: "POST", body: "{}", ...asked });
		for (const type of [
			undefined,
			"text/plain",
			"application/x-www-form-urlencoded",
			"multipart/form-data",
			"text/json",
		]) {
			expect([type, (await stop({ headers: { "Content-Type": type } })).status]).toEqual([type, 415]);
		}
		for (const site of ["cross-site", "same-site", "none"]) {
			expect((await stop({ headers: { "Sec-Fetch-Site": site } })).status).toBe(403);
			expect((await ask(ROUTES.hello, { headers: { "Sec-Fetch-Site": site } })).status).toBe(403);
		}
		expect((await stop({ body: JSON.stringify({ message: "x".repeat(300_000) }) })).status).toBe(413);
		const chunked = { "Transfer-Encoding": "chunked" };
		expect((await stop({ headers: chunked, body: `"${"x".repeat(300_000)}"` })).status).toBe(413);
		for (const body of ["", "[]", "null", '"text"', "{"]) expect((await stop({ body })).status).toBe(400);
		// Everything was right, and there is no ledger.
		const right = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json; charset=utf-8" };
		expect((await stop({ headers: right })).status).toBe(503);
		expect((await ask(ROUTES.hello, { method: "PUT" })).status).toBe(405);
		expect((await ask(ACTION_ROUTES.stop.replace(":id", "0badcafe"))).status).toBe(404);
	});

	test("listens on this machine alone, and says so when a port is taken", async () => {
		const folder = scratch.folder();
		const { page } = await openPage(folder);
		const elsewhere = Object.values(networkInterfaces())
			.flat()
			.filter((address) => address?.family === "IPv4" && !address.internal);
		for (const address of elsewhere) {
			await expect(fetch(`http://${address?.address}:${page.port}/`)).rejects.toThrow();
		}
		// On all addresses it would keep another program from taking the port on 127.0.0.2.
		const other = createServer();
		await new Promise<void>((resolve) => other.listen({ host: "127.0.0.2", port: page.port }, resolve));
		await new Promise((resolve) => other.close(resolve));
		expect(page.url).toBe(`http://127.0.0.1:${page.port}/#${page.token}`);
		expect(Buffer.from(page.token, "base64url")).toHaveLength(32);
	});
});
