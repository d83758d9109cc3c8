import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/ledger.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { type Home, makeHome } from "../helpers/home.ts";
import { cleanup } from "../helpers/leaks.ts";
import { openLedgerFile } from "../helpers/ledger-file.ts";
import { type ScriptedModel, startModel } from "../helpers/model.ts";
import { closeAndCheck } from "../helpers/use-home.ts";
import { startBrowser, watchTrouble } from "./browser.ts";
import { type ServedPage, servePageOf } from "./served.ts";
import { writeRun } from "./written-runs.ts";

/** In order: the page stays open through all of it. */
describe("a page whose ledger cannot be read", () => {
	let model: ScriptedModel;
	let home: Home;
	let served: ServedPage;
	let browser: BrowserContext;
	let page: Page;
	let trouble: string[];
	let first: string;

	beforeAll(async () => {
		model = await startModel(() => "");
		home = await makeHome({ model });
		first = await writeRun(home, { entries: [], wish: { task: "The first." }, answer: "Done." });
		[served, browser] = await Promise.all([servePageOf(home), startBrowser()]);
		page = await browser.newPage();
		trouble = watchTrouble(page, served.origin);
		await page.goto(served.url);
		await row(first).waitFor();
	});

	afterAll(async () => {
		await browser?.close();
		served?.kill("SIGTERM");
		await served?.ended;
		try {
			if (home) await closeAndCheck(home);
		} finally {
			if (home) await cleanup(home);
			await model?.close();
		}
	});

	const row = (id: string) => page.locator(`.row[data-run="${id}"]`);
	const banner = (words: RegExp) => page.locator(".banner", { hasText: words });

	test("of a newer version says so, shows what it knows, and continues once it can be read", async () => {
		const file = openLedgerFile(placesIn(home.agentDir).ledger);
		const { user_version: version } = file.prepare("PRAGMA user_version").get() as { user_version: number };
		file.exec("PRAGMA user_version = 999");
		await banner(/Update pi-geon/).waitFor();
		expect(await row(first).count()).toBe(1);
		file.exec(`PRAGMA user_version = ${version}`);
		file.close();
		await banner(/Update pi-geon/).waitFor({ state: "detached" });
		const second = await writeRun(home, { entries: [], wish: { task: "The second." } });
		await row(second).waitFor();
	});

	test("that is damaged says so, and shows the one that replaces it", async () => {
		const { ledger } = placesIn(home.agentDir);
		const fresh = `${ledger}.fresh`;
		writeFileSync(fresh, "This is not a database. ".repeat(100));
		for (const end of ["-wal", "-shm"]) rmSync(`${ledger}${end}`, { force: true });
		renameSync(fresh, ledger);
		await banner(/cannot be read as a ledger/).waitFor();
		// As the next pi that starts does.
		(await openLedger(ledger, { setAsideIfDamaged: true })).close();
		const third = await writeRun(home, { entries: [], wish: { task: "The third." } });
		await row(third).waitFor();
		await banner(/cannot be read as a ledger/).waitFor({ state: "detached" });
		await row(first).waitFor({ state: "detached" });
		expect(trouble).toEqual([]);
	});
});
