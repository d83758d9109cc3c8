/**
 * What the live page costs in a real browser: its size, its first paint, and the longest frame with 10,000 runs in the ledger
 * and while a transcript of 10,000 messages grows. `npx --no-install node bench/page-browser.ts`, with a built dist/.
 */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { placesIn } from "../src/ledger/places.ts";
import { makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { startBrowser } from "../test/page/browser.ts";
import { servePageOf } from "../test/page/served.ts";
import { said, told, writeRun } from "../test/page/written-runs.ts";
import { median, ms } from "./figures.ts";
import { fillLedger } from "./full-ledger.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "5" },
		runs: { type: "string", default: "10000" },
		messages: { type: "string", default: "10000" },
		json: { type: "boolean" },
	},
});
const [ROUNDS, RUNS, MESSAGES] = [Number(values.rounds), Number(values.runs), Number(values.messages)];
/** How many messages are added while it is looked at, and how far apart. */
const ADDED = 100;
const APART_MS = 50;
const LIVE_ROUNDS = 20;
const SMOOTH = { atMost: 100, shown: "at most 100 ms" };

const message = (n: number): object =>
	n % 2 === 0
		? said(`Message ${n}: **some** words and \`code\`.\n\n- one\n- two\n\n${"More that is said. ".repeat(20)}`)
		: told(`Message ${n}. ${"What is asked. ".repeat(10)}`);

/** Counts from here on how long frames take. */
const watchFrames = (page: Page): Promise<unknown> =>
	page.evaluate(
		"window.longest = 0; window.frames_ = 0; let last = performance.now(); const tick = (now) => { window.longest = Math.max(window.longest, now - last); window.frames_++; last = now; requestAnimationFrame(tick); }; requestAnimationFrame((now) => { last = now; requestAnimationFrame(tick); })",
	);
const longestFrame = (page: Page): Promise<number> => page.evaluate("window.longest");

const model = await startModel(() => "");
const home = await makeHome({ model });
try {
	progress(`${RUNS} runs and ${MESSAGES} messages`);
	await fillLedger(placesIn(home.agentDir).ledger, RUNS);
	const runId = await writeRun(home, { entries: Array.from({ length: MESSAGES }, (_, n) => message(n)) });
	const [file = ""] = readdirSync(join(home.scratch, "sessions"));
	const [served, browser] = await Promise.all([servePageOf(home), startBrowser()]);
	const rows: Measured[] = [sizeOfBundle()];
	const page = await browser.newPage();

	progress("first paint");
	const paints: number[] = [];
	const lists: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		await page.goto("about:blank");
		await page.goto(served.url);
		await page.locator(".row").first().waitFor();
		lists.push(await page.evaluate("performance.now()"));
		paints.push(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"));
	}
	const paint = median(paints);
	rows.push({ what: "first paint", value: paint, shown: ms(paint), goal: { atMost: 300, shown: "at most 300 ms" } });
	rows.push({ what: "the list of runs is there", value: median(lists), shown: ms(median(lists)) });

	progress("scrolling through the runs");
	await watchFrames(page);
	for (let screens = 0; screens < 60; screens++) {
		await page.evaluate("document.querySelector('.overview').scrollBy(0, 900)");
		await sleep(30);
	}
	const scrolled = await longestFrame(page);
	rows.push({ what: `longest frame, scrolling ${RUNS} runs`, value: scrolled, shown: ms(scrolled), goal: SMOOTH });

	progress("what is new");
	await page.evaluate("document.querySelector('.overview').scrollTo(0, 0)");
	const lives: number[] = [];
	for (let round = 0; round < LIVE_ROUNDS; round++) {
		const added = await writeRun(home, { entries: [] });
		const began = performance.now();
		await page.locator(`.row[data-run="${added}"]`).waitFor({ state: "attached" });
		lives.push(performance.now() - began);
	}
	for (const [how, live] of [
		["the median", median(lives)],
		["the slowest", Math.max(...lives)],
	] as const) {
		const within = { atMost: 1000, shown: "at most 1000 ms" };
		rows.push({
			what: `a new run is in the list, ${how} of ${LIVE_ROUNDS}`,
			value: live,
			shown: ms(live),
			goal: within,
		});
	}

	progress("a transcript that grows");
	await page.goto(`${served.origin}/#/run/${runId}`);
	await page.locator(".item", { hasText: `Message ${MESSAGES - 1}` }).waitFor();
	await watchFrames(page);
	for (let added = 0; added < ADDED; added++) {
		appendFileSync(join(home.scratch, "sessions", file), `${JSON.stringify(message(MESSAGES + added))}\n`);
		await sleep(APART_MS);
	}
	await page.locator(".item", { hasText: `Message ${MESSAGES + ADDED - 1}` }).waitFor();
	const streamed = await longestFrame(page);
	rows.push({
		what: `longest frame, ${MESSAGES} messages and ${ADDED} more`,
		value: streamed,
		shown: ms(streamed),
		goal: SMOOTH,
	});
	await browser.close();
	served.kill("SIGTERM");
	await served.ended;
	report("The live page in a browser", rows);
} finally {
	await cleanup(home);
	await model.close();
}

function sizeOfBundle(): Measured {
	const folder = join(repositoryRoot, "dist", "page");
	const files = readdirSync(folder).filter((name) => !name.endsWith(".txt"));
	const bytes = files.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
	const shown = `${(bytes / 1000).toFixed(0)} kB`;
	return { what: "size, minified", value: bytes, shown, goal: { atMost: 200_000, shown: "at most 200 kB" } };
}
