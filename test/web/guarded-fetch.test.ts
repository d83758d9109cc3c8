import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGuardedFetch, type GuardedRequest } from "../../src/web/net/guarded-fetch.ts";
import { retryAfterSeconds } from "../../src/web/net/retry-after.ts";
import { parseWebUrl } from "../../src/web/net/web-url.ts";
import { PUBLIC_HERE, plainly, testFetch, testNetwork, useSites } from "./local-web.ts";

const openSite = useSites();
const get = (url: string, options: Partial<GuardedRequest> = {}) =>
	testFetch({ ...plainly, url: parseWebUrl(url), ...options });
const failing = (code: string) => expect.objectContaining({ name: "WebError", code });

describe("an address", () => {
	test.each([
		"ftp://site.example/",
		"file:///etc/passwd",
		"javascript:alert(1)",
		"data:text/html,x",
		"site.example",
		"",
		"http://",
		"http://user@site.example/",
		"http://user:secret@site.example/",
		"http://[fe80::1%25eth0]/",
		"http://a b/",
		`http://site.example/${"x".repeat(5000)}`,
	])("that is %j is no address to fetch", (url) => {
		expect(() => parseWebUrl(url)).toThrow(failing("CONTENT_FETCH_INVALID_URL"));
	});

	test("keeps its name, and tells no more than needed", async () => {
		let headers: object = {};
		const site = await openSite((request, response) => {
			headers = request.headers;
			response.end("here");
		});
		const { status, body, url } = await get(site.url("/path?q=1#part"));
		expect([status, body.toString(), url.href]).toEqual([200, "here", site.url("/path?q=1")]);
		expect(site.requests).toEqual(["GET /path?q=1"]);
		expect(headers).toEqual({
			host: `site.example:${site.port}`,
			"user-agent": expect.stringContaining("pi-geon"),
			"accept-encoding": "gzip, deflate, br, zstd",
			connection: "close",
		});
	});
});

describe("the private network", () => {
	test("a name that leads there is refused, and nothing is sent", async () => {
		const site = await openSite((_request, response) => response.end("secret"));
		await expect(get(site.url("/", "wiki.internal"))).rejects.toEqual(failing("PRIVATE_NETWORK_BLOCKED"));
		expect(site.requests).toEqual([]);
	});

	test("a redirect that leads there is refused, whatever its form", async () => {
		for (const target of [
			"http://127.0.0.2:PORT/secret",
			"//wiki.internal:PORT/secret",
			"http://[::ffff:127.0.0.2]:PORT/",
			"http://0x7f000002:PORT/",
		]) {
			const site = await openSite((request, response) => {
				const location = target.replace("PORT", String(request.socket.localPort));
				response.writeHead(request.url === "/" ? 302 : 200, { location }).end("secret");
			});
			await expect(get(site.url("/"))).rejects.toEqual(failing("PRIVATE_NETWORK_BLOCKED"));
			expect(site.requests).toEqual(["GET /"]);
		}
	});

	test("a redirect to another protocol or with a password is refused", async () => {
		for (const location of ["file:///etc/passwd", "ftp://site.example/", "http://user:pass@site.example/"]) {
			const site = await openSite((_request, response) => response.writeHead(302, { location }).end());
			await expect(get(site.url("/"))).rejects.toEqual(failing("CONTENT_FETCH_INVALID_URL"));
		}
	});

	test("a name with a public and a private address is refused", async () => {
		const site = await openSite((_request, response) => response.end("secret"));
		const fetch = createGuardedFetch({ ...testNetwork, resolve: async () => [PUBLIC_HERE, "127.0.0.2"] });
		await expect(fetch({ ...plainly, url: new URL(site.url("/")) })).rejects.toEqual(
			failing("PRIVATE_NETWORK_BLOCKED"),
		);
		expect(site.requests).toEqual([]);
	});

	test("an answer that changes after the check is never asked for", async () => {
		const answers = [PUBLIC_HERE, "127.0.0.2", "127.0.0.3"];
		const asked: string[] = [];
		let reached: string | undefined;
		const site = await openSite((request, response) => {
			reached = request.socket.localAddress;
			response.end("public");
		});
		const resolve = async (hostname: string) => {
			asked.push(hostname);
			return [answers[asked.length - 1] ?? "127.0.0.4"];
		};
		const fetch = createGuardedFetch({ ...testNetwork, resolve });
		const request = { ...plainly, url: new URL(site.url("/", "rebind.example")) };
		expect((await fetch(request)).body.toString()).toBe("public");
		expect([asked, reached]).toEqual([["rebind.example"], PUBLIC_HERE]);
		await expect(fetch(request)).rejects.toEqual(failing("PRIVATE_NETWORK_BLOCKED"));
		expect(site.requests).toHaveLength(1);
	});

	test("an answer that changes between two hops is checked again", async () => {
		const site = await openSite((_request, response) => response.writeHead(302, { location: "/again" }).end());
		let asked = 0;
		const fetch = createGuardedFetch({
			...testNetwork,
			resolve: async () => [asked++ === 0 ? PUBLIC_HERE : "127.0.0.2"],
		});
		await expect(fetch({ ...plainly, url: new URL(site.url("/")) })).rejects.toEqual(
			failing("PRIVATE_NETWORK_BLOCKED"),
		);
		expect(site.requests).toEqual(["GET /"]);
	});

	test("is open if it is allowed", async () => {
		const site = await openSite((_request, response) => response.end("intranet"));
		expect((await get(site.url("/", "wiki.internal"), { allowPrivateNetwork: true })).body.toString()).toBe("intranet");
	});

	test("proxies of the environment are not used", async () => {
		const proxy = await openSite((_request, response) => response.end("proxied"));
		const site = await openSite((_request, response) => response.end("direct"));
		process.env.http_proxy = `http://127.0.0.1:${proxy.port}`;
		try {
			expect((await get(site.url("/"))).body.toString()).toBe("direct");
		} finally {
			delete process.env.http_proxy;
		}
	});
});

describe("redirects", () => {
	test("are followed, relative ones too", async () => {
		const site = await openSite((request, response) => {
			if (request.url === "/end") response.end("there");
			else response.writeHead(301, { location: request.url === "/" ? "/two" : "end" }).end();
		});
		const { url, body } = await get(site.url("/"));
		expect([url.pathname, body.toString()]).toEqual(["/end", "there"]);
	});

	test("that go in circles end", async () => {
		const site = await openSite((_request, response) => response.writeHead(302, { location: "/" }).end());
		await expect(get(site.url("/"))).rejects.toEqual(failing("CONTENT_FETCH_FAILED"));
		expect(site.requests).toHaveLength(6);
	});

	test("of a POST are not followed: a key must not travel on", async () => {
		const site = await openSite((_request, response) => response.writeHead(307, { location: "/elsewhere" }).end());
		const post = get(site.url("/"), { method: "POST", body: "{}", headers: { "x-api-key": "secret" } });
		await expect(post).rejects.toEqual(failing("CONTENT_FETCH_FAILED"));
		expect(site.requests).toEqual(["POST /"]);
	});
});

describe("a body", () => {
	test.each([
		["gzip", gzipSync],
		["deflate", deflateSync],
		["br", brotliCompressSync],
		["zstd", zstdCompressSync],
	])("in %s is unpacked", async (encoding, pack) => {
		const site = await openSite((_request, response) =>
			response.writeHead(200, { "content-encoding": encoding }).end(pack("Grüße")),
		);
		expect((await get(site.url("/"))).body.toString()).toBe("Grüße");
	});

	test.each([
		["gzip", gzipSync],
		["deflate", deflateSync],
		["br", brotliCompressSync],
		["zstd", zstdCompressSync],
	])("that is a %s bomb is stopped", async (encoding, pack) => {
		const bomb = pack(Buffer.alloc(20_000_000));
		expect(bomb.length).toBeLessThan(100_000);
		const site = await openSite((_request, response) =>
			response.writeHead(200, { "content-encoding": encoding }).end(bomb),
		);
		await expect(get(site.url("/"))).rejects.toEqual(failing("FILE_TOO_LARGE"));
	});

	test("that is declared too large is not read at all", async () => {
		const site = await openSite((_request, response) =>
			response.writeHead(200, { "content-length": 2 ** 31 }).write("x"),
		);
		await expect(get(site.url("/"))).rejects.toEqual(failing("FILE_TOO_LARGE"));
	});

	test.each(["plain", "packed"])("of 2 GB, %s, is stopped at the limit and never held", async (form) => {
		const chunk = Buffer.alloc(64 * 1024, "x");
		let sent = 0;
		const site = await openSite((_request, response) => {
			if (form === "packed") response.setHeader("content-encoding", "gzip");
			const out = form === "packed" ? createGzip({ level: 0 }) : response;
			if (out !== response) out.pipe(response);
			const more = () => {
				while (sent < 2 ** 31 && !response.destroyed) {
					sent += chunk.length;
					if (!out.write(chunk)) return out.once("drain", more);
				}
			};
			more();
		});
		const before = process.memoryUsage().arrayBuffers;
		await expect(get(site.url("/"))).rejects.toEqual(failing("FILE_TOO_LARGE"));
		expect(sent).toBeLessThan(64_000_000);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
	});

	test("that is endless but unpacks to nothing is stopped too", async () => {
		const nothing = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync("")));
		const site = await openSite((_request, response) => {
			response.writeHead(200, { "content-encoding": "gzip" });
			const more = () => {
				while (!response.destroyed) if (!response.write(nothing)) return response.once("drain", more);
			};
			more();
		});
		await expect(get(site.url("/"))).rejects.toEqual(failing("FILE_TOO_LARGE"));
	});

	test("that comes drop by drop runs out of time", async () => {
		const site = await openSite(async (_request, response) => {
			while (!response.destroyed) {
				response.write("x");
				await sleep(20);
			}
		});
		await expect(get(site.url("/"), { timeoutMs: 300 })).rejects.toEqual(failing("CONTENT_FETCH_TIMEOUT"));
	});

	test("that is not what its header says is an error, not a crash", async () => {
		for (const encoding of ["gzip", "br", "zstd", "deflate", "compress", "gzip, gzip"]) {
			const site = await openSite((_request, response) =>
				response.writeHead(200, { "content-encoding": encoding }).end("plain text"),
			);
			await expect(get(site.url("/"))).rejects.toEqual(failing("CONTENT_FETCH_FAILED"));
		}
	});

	test("that breaks off is an error", async () => {
		const site = await openSite((_request, response) => {
			response.writeHead(200, { "content-length": 100 }).write("half");
			setTimeout(() => response.destroy(), 20);
		});
		await expect(get(site.url("/"))).rejects.toEqual(failing("NETWORK_ERROR"));
	});
});

describe("a connection", () => {
	test("to no address is an error", async () => {
		await expect(get("http://site.example:1/")).rejects.toEqual(failing("NETWORK_ERROR"));
	});

	test("tries the next address of a host", async () => {
		const site = await openSite((_request, response) => response.end("second"));
		const fetch = createGuardedFetch({ resolve: async () => ["::1", PUBLIC_HERE], isPublic: () => true });
		expect((await fetch({ ...plainly, url: new URL(site.url("/")) })).body.toString()).toBe("second");
	});

	test("to something that does not speak HTTP is an error", async () => {
		const server = createServer((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.6\r\n"));
		await new Promise<void>((resolve) => server.listen(0, PUBLIC_HERE, resolve));
		const { port } = server.address() as AddressInfo;
		await expect(get(`http://site.example:${port}/`)).rejects.toEqual(failing("NETWORK_ERROR"));
		await new Promise((resolve) => server.close(resolve));
	});

	test("that never answers runs out of time", async () => {
		const site = await openSite(() => {});
		await expect(get(site.url("/"), { timeoutMs: 100 })).rejects.toEqual(failing("CONTENT_FETCH_TIMEOUT"));
	});

	test("whose name takes forever to look up runs out of time", async () => {
		const fetch = createGuardedFetch({ ...testNetwork, resolve: () => new Promise(() => {}) });
		await expect(fetch({ ...plainly, url: new URL("http://slow.example/"), timeoutMs: 100 })).rejects.toEqual(
			failing("CONTENT_FETCH_TIMEOUT"),
		);
	});

	test("ends when the caller no longer wants it", async () => {
		const site = await openSite((_request, response) => response.write("x"));
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 50);
		await expect(get(site.url("/"), { signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
	});
});

describe("a secure connection", () => {
	const pem = (name: string) => readFileSync(new URL(`./fixtures/site.example.${name}`, import.meta.url), "utf8");
	const trusted = getCACertificates("default");
	const server = createHttpsServer({ key: pem("key"), cert: pem("crt") }, (_request, response) => response.end("safe"));
	const urlOf = (hostname: string) => `https://${hostname}:${(server.address() as AddressInfo).port}/`;
	beforeAll(() => new Promise<void>((resolve) => server.listen(0, PUBLIC_HERE, resolve)));
	afterAll(() => new Promise((resolve) => server.close(resolve)));
	afterEach(() => setDefaultCACertificates(trusted));

	test("is checked by the name, not by the address it was pinned to", async () => {
		setDefaultCACertificates([...trusted, pem("crt")]);
		expect((await get(urlOf("site.example"))).body.toString()).toBe("safe");
		expect((await get(urlOf("site.example."))).body.toString()).toBe("safe");
		for (const other of ["other.example", PUBLIC_HERE]) {
			await expect(get(urlOf(other))).rejects.toEqual(failing("NETWORK_ERROR"));
		}
	});

	test("to an unverified address is refused", async () => {
		await expect(get(urlOf("site.example"))).rejects.toEqual(failing("NETWORK_ERROR"));
	});
});

test.each([
	[undefined, undefined],
	["30", 30],
	[" 0 ", 0],
	["Sun, 15 Nov 2026 12:00:30 GMT", 30],
	["Sun, 15 Nov 2020 12:00:30 GMT", 0],
	["soon", undefined],
])("Retry-After %j is a wait of %j s", (header, seconds) => {
	expect(retryAfterSeconds(header, Date.UTC(2026, 10, 15, 12))).toBe(seconds);
});
