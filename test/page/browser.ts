import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { PATIENCE_MS } from "../helpers/patience.ts";

/** As scripts/system-packages.mjs installs it. */
const CHROMIUM = process.env.CHROMIUM ?? "chromium";

const FLAGS = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	// Chromium keeps pages of other networks from this machine by itself. Other browsers do not, so the tests go without.
	"--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights",
];

export interface BrowserOptions {
	/** Name → address, for names that somebody made point to this machine. */
	readonly resolve?: Readonly<Record<string, string>>;
	readonly viewport?: { width: number; height: number };
}

/** A real Chromium with an empty profile. `close` also removes what it wrote. */
export async function startBrowser(options: BrowserOptions = {}): Promise<BrowserContext> {
	const { resolve = {}, viewport = { width: 1440, height: 900 } } = options;
	const profile = mkdtempSync(join(tmpdir(), "pg-chromium-"));
	const rules = Object.entries(resolve).map(([name, address]) => `MAP ${name} ${address}`);
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: await foundChromium(),
		args: [...FLAGS, ...(rules.length === 0 ? [] : [`--host-resolver-rules=${rules.join(", ")}`])],
		viewport,
		timeout: PATIENCE_MS,
	});
	context.setDefaultTimeout(PATIENCE_MS);
	const close = context.close.bind(context);
	context.close = async () => {
		await close();
		await remove(profile);
	};
	return context;
}

/** Processes of Chromium that are still leaving may write into the folder, or make it again. */
async function remove(folder: string): Promise<void> {
	for (let isQuiet = 0; isQuiet < 3; isQuiet++) {
		if (existsSync(folder)) isQuiet = 0;
		rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
		await setTimeout(100);
	}
}

async function foundChromium(): Promise<string> {
	if (CHROMIUM.includes("/")) return CHROMIUM;
	const { accessSync, constants } = await import("node:fs");
	for (const folder of (process.env.PATH ?? "").split(":")) {
		const file = join(folder, CHROMIUM);
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			// The next folder may have it.
		}
	}
	throw new Error("There is no chromium on the path. `node scripts/system-packages.mjs` says how to install it.");
}

/** What must not happen in a page: errors, violations of its policy, dialogs, and requests to anywhere else. */
export function watchTrouble(page: Page, origin: string): string[] {
	const trouble: string[] = [];
	page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
	page.on("dialog", (dialog) => {
		trouble.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	page.on("console", (message) => {
		const text = message.text();
		// Chromium says so of every request that fails; that the server is gone is a part of some tests.
		if (message.type() === "error" && !text.startsWith("Failed to load resource")) trouble.push(`console: ${text}`);
	});
	page.on("request", (request) => {
		const url = request.url();
		if (!url.startsWith(origin) && !url.startsWith("data:image/svg+xml")) trouble.push(`request: ${url.slice(0, 200)}`);
	});
	return trouble;
}

/** Reports each violation of the page's policy on its console, also of those that Chromium keeps quiet about. */
export const reportViolations = (context: BrowserContext): Promise<unknown> =>
	context.addInitScript(
		"addEventListener('securitypolicyviolation', (event) => console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))",
	);
