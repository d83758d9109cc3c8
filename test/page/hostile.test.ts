import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonOf } from "../cli/pi-geon.ts";
import { inLedger } from "../e2e/ledger-of.ts";
import { type Home, makeHome } from "../helpers/home.ts";
import { cleanup } from "../helpers/leaks.ts";
import { type ScriptedModel, startModel } from "../helpers/model.ts";
import { closeAndCheck } from "../helpers/use-home.ts";
import { ATTEMPTS } from "./attempts.ts";
import { reportViolations, startBrowser, watchTrouble } from "./browser.ts";
import { type ServedPage, servePageOf } from "./served.ts";
import { called, returned, said, told, writeRun } from "./written-runs.ts";

const RLO = "\u202E";
const MARKUP = `<script>window.pwned = 1</script><img src=x onerror="window.pwned = 2"><svg onload="window.pwned = 3">
<iframe srcdoc="<script>parent.pwned = 4</script>"></iframe><style>body { display: none }</style><base href="https://evil.test/">
<a href="javascript:window.pwned = 5">click</a><form action="https://evil.test"><button>send</button></form>`;
const LINKS = `[a](javascript:window.pwned=6) [b](data:text/html,<script>pwned=7</script>) [c](vbscript:x) [d](file:///etc/passwd)
![an image](https://evil.test/pixel.png) ![data](data:image/svg+xml,<svg onload=pwned=8>) <https://example.org/ok> [e]( JaVaScRiPt:pwned=9)
[f](https://example.org/"onmouseover="pwned=10)`;
const EVIL = "<!doctype html><title>evil</title><body>";
const MANY = 1_000_000;

const HOSTILE = [
	told(`${MARKUP}\n\n${LINKS}`),
	said(
		`${MARKUP}\n\n${LINKS}\n\n\`\`\`html\n${MARKUP}\n\`\`\`\n\n| ${MARKUP.replaceAll("\n", " ")} | b |\n|---|---|\n| c | d |`,
		[called(`read${RLO}<b>`, { path: `${RLO}txt.exe`, "<img src=x onerror=pwned=11>": MARKUP })],
	),
	returned(`read${RLO}<b>`, MARKUP),
	said(`safe${RLO}gnp.exe and zero\u200Bwidth and \u2066isolated and \u001b[31mred\u0007 and \u{E0041}tag`),
	said("x".repeat(5 * 2 ** 20)),
	returned("bash", "line\n".repeat(MANY)),
	said(">".repeat(5000)),
	said("[".repeat(5000)),
	said(`${"* a\n".repeat(50)}${"  ".repeat(300)}* deep`),
	"not JSON at all {",
	JSON.stringify({ type: "message", message: { role: "assistant", content: { toString: "x" } } }),
	said("The end."),
];

describe("what is hostile gets nothing", () => {
	let model: ScriptedModel;
	let home: Home;
	let served: ServedPage;
	let browser: BrowserContext;
	let evil: Server;
	let evilPort: number;

	beforeAll(async () => {
		model = await startModel(() => "");
		home = await makeHome({ model });
		evil = createServer((_, response) => {
			response.writeHead(200, { "Content-Type": "text/html" }).end(EVIL);
		});
		await new Promise<void>((resolve) => void evil.listen(0, "127.0.0.1", resolve));
		evilPort = (evil.address() as AddressInfo).port;
		[served, browser] = await Promise.all([servePageOf(home), startBrowser({ resolve: { "evil.test": "127.0.0.1" } })]);
	});

	afterAll(async () => {
		await browser?.close();
		served?.kill("SIGTERM");
		await served?.ended;
		evil?.close();
		try {
			if (home) await closeAndCheck(home);
		} finally {
			if (home) await cleanup(home);
			await model?.close();
		}
	});

	test("a transcript: no script runs, nothing is requested, no policy is violated, and hidden characters are seen", async () => {
		const title = `${RLO}${MARKUP}`;
		const runId = await writeRun(home, { entries: HOSTILE, answer: MARKUP, wish: { task: title, label: title } });
		await reportViolations(browser);
		const page = await browser.newPage();
		const trouble = watchTrouble(page, served.origin);
		for (const width of [400, 1440]) {
			await page.setViewportSize({ width, height: 900 });
			await page.goto(`${served.url}/run/${runId}`);
			await page.getByText("The end.").waitFor();
			await page.keyboard.press("t");
			// Through all of it, a screen at a time.
			await page.keyboard.press("g");
			await page.getByText("window.pwned = 1").first().waitFor();
			await page.locator(".hidden-character", { hasText: "U+202E" }).first().waitFor();
			for (let screens = 0; ; screens++) {
				const isAtEnd = await page.evaluate(
					"(() => { const box = document.querySelector('#transcript'); box.scrollBy(0, 600); return box.scrollHeight - box.scrollTop - box.clientHeight < 4; })()",
				);
				if (isAtEnd || screens > 400) break;
			}
			await page.getByText("The end.").waitFor();
			expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
			await page.goto("about:blank");
		}
		await page.goto(`${served.url}/run/${runId}/details`);
		await page.getByText("window.pwned = 1").first().waitFor();
		await page.goto(`${served.url}/`);
		await page.locator(`.row[data-run="${runId}"]`).waitFor();
		expect(await page.evaluate("window.pwned")).toBeUndefined();
		expect(
			await page.locator("a[href^='javascript' i], a[href^='data:' i], a[href^='file:'], iframe, base, form").count(),
		).toBe(0);
		expect(trouble).toEqual([]);
		await page.close();
	});

	test.each([
		{ what: "five megabytes on one line", entry: said("x".repeat(5 * 2 ** 20)) },
		{ what: "a million lines", entry: returned("bash", "line\n".repeat(MANY)) },
	])("$what: shown whole, once somebody asks for it", async ({ entry }) => {
		const runId = await writeRun(home, { entries: [entry], answer: "Done." });
		const page = await browser.newPage();
		const trouble = watchTrouble(page, served.origin);
		await page.setViewportSize({ width: 400, height: 900 });
		await page.goto(`${served.url}/run/${runId}`);
		await page.getByText(/^A line of \d+ bytes is not shown/).waitFor();
		await page.getByRole("button", { name: /^Show [5-6],\d{3},\d{3} more characters/ }).click();
		const folded = page.locator(".fold-head");
		await page.locator(".piece").or(folded).first().waitFor();
		if (await folded.count()) await folded.click();
		await page.locator(".piece").nth(200).waitFor({ state: "attached" });
		expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
		expect(trouble).toEqual([]);
		await page.close();
	});

	test("a page of another port, one of a name that points here, and one that is served by ours under that name", async () => {
		const runId = await writeRun(home, { entries: [], wish: { task: "Stay as you are." } });
		const user = await browser.newPage();
		await user.goto(served.url);
		await user.locator(`.row[data-run="${runId}"]`).waitFor();
		const tries = [
			{ from: `http://127.0.0.1:${evilPort}/`, target: served.origin },
			{ from: `http://evil.test:${evilPort}/`, target: served.origin },
			{ from: `http://evil.test:${evilPort}/`, target: `http://evil.test:${served.port}` },
			{ from: `http://evil.test:${served.port}/rebound`, target: `http://evil.test:${served.port}` },
		];
		let attempts = 0;
		for (const { from, target } of tries) {
			const page = await browser.newPage();
			// Served from elsewhere before the name was made to point here: such a page has the origin of ours under that name.
			await page.route("**/rebound", (route) => route.fulfill({ contentType: "text/html", body: EVIL }));
			await page.goto(from);
			const asked = JSON.stringify({ target, guess: "A".repeat(43), runId });
			const got = (await page.evaluate(`(${ATTEMPTS})(${asked})`)) as Record<string, string>;
			attempts += Object.keys(got).length;
			const something = Object.entries(got).filter(([, answer]) => !/^(421\s*)?$/.test(answer));
			expect(something, `${from} to ${target}`).toEqual([]);
			// Nothing but our server kept this one out: it has our origin.
			if (from.endsWith("/rebound")) expect(got["list runs"]).toMatch(/^421/);
			await page.close();
		}
		expect(attempts).toBeGreaterThanOrEqual(80);
		expect(await jsonOf(home, ["info", runId])).toMatchObject({ phase: "queued" });
		expect(inLedger(home, "SELECT 1 FROM inbox")).toEqual([]);
		await user.close();
	});
});
