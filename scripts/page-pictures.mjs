// Makes the pictures of the live page in docs/images: real runs of a real pi with a scripted model, in a real Chromium, at
// three widths, light and dark. Run `node scripts/page-pictures.mjs` after a change of how the page looks; it needs a built
// dist/, and chromium.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { startRpc } from "../test/helpers/rpc.ts";
import { startBrowser } from "../test/page/browser.ts";
import { ASKER, FILES, makeScene, TASKS } from "../test/page/scene.ts";
import { servePageOf } from "../test/page/served.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const images = process.argv[2] ?? join(root, "docs", "images");
const MOST_BYTES = 150_000;

const SHOTS = [
	{ name: "page-overview", path: () => "/", size: [1280, 800], until: ".waterfall .span.success" },
	{ name: "page-narrow", path: () => "/", size: [400, 800], until: ".waterfall .span.success" },
	{ name: "page-wide", path: (id) => `/run/${id("look")}`, size: [2560, 1000], until: ".item.final", scale: 0.5 },
	{ name: "page-run", path: (id) => `/run/${id("look")}`, size: [1280, 800], until: ".item.final" },
	{ name: "page-changes", path: (id) => `/run/${id("change")}/changes`, size: [1280, 800], until: ".diff-added" },
];

const scene = makeScene();
const model = await startModel(scene.script);
const home = await makeHome({ model, settings: { defaultModel: "priced" }, agents: ASKER, files: FILES, git: true });
try {
	const [served, browser] = await Promise.all([servePageOf(home), startBrowser()]);
	const rpc = startRpc(home);
	const page = await browser.newPage();
	await page.goto(served.url);
	await rpc.promptAndSettle("spawn look change");
	scene.gates.look.open();
	await page.locator(".row", { hasText: TASKS.look.label }).getByText("finished").waitFor();
	await rpc.promptAndSettle("spawn fail ask hold");
	for (const [name, word] of Object.entries({ change: "finished", fail: "failed", ask: "asking", hold: "running" })) {
		await page.locator(".row", { hasText: TASKS[name].label }).getByText(word).waitFor();
	}
	const ids = await page.locator(".row").evaluateAll((rows) => rows.map((row) => [row.textContent, row.dataset.run]));
	const id = (name) => ids.find(([text]) => text.includes(TASKS[name].label))?.[1];
	mkdirSync(images, { recursive: true });
	for (const colorScheme of ["light", "dark"]) {
		for (const { name, path, size, until, scale = 1 } of SHOTS) {
			const file = join(images, `${name}-${colorScheme}.webp`);
			await shoot(page, { url: `${served.origin}/#${path(id)}`, file, size, until, scale, colorScheme });
			console.log(`${file}: ${Math.round(statSync(file).size / 1000)} kB`);
			if (statSync(file).size > MOST_BYTES) process.exitCode = 1;
		}
	}
	await browser.close();
	served.kill("SIGTERM");
	await served.ended;
	scene.gates.hold.open();
	await rpc.close();
} finally {
	await cleanup(home);
	await model.close();
}

async function shoot(page, { url, file, size: [width, height], until, scale, colorScheme }) {
	await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
	// A wide one is drawn at half its size: the documents show it no larger.
	await page.setViewportSize({ width, height });
	await page.goto("about:blank");
	await page.goto(url);
	await page.locator(until).first().waitFor();
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
	const session = await page.context().newCDPSession(page);
	const clip = { x: 0, y: 0, width, height, scale };
	const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85, clip });
	await session.detach();
	writeFileSync(file, Buffer.from(data, "base64"));
}
