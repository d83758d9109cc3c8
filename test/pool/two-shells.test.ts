import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { finalize } from "../e2e/child.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startTerminal } from "../helpers/pi.ts";
import { cliOf, repositoryRoot, stagedPackage } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { startBrowser, watchTrouble } from "../page/browser.ts";
import { servePageOf } from "../page/served.ts";
import { commitProject } from "./machines.ts";
import { inDatabase, type PostgresServer, startPostgres } from "./postgres-server.ts";

const openHome = useHome();
let server: PostgresServer;
let browser: BrowserContext | undefined;

beforeAll(async () => {
	server = await startPostgres();
});
afterEach(() => browser?.close());
afterAll(() => server.stop());

/** All that the stranger knows: what the page says to type, in its order. */
const PAGE = readFileSync(join(repositoryRoot, "docs", "pool.md"), "utf8");
const [, SECTION = ""] = /## Try it with two shells on one machine\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
const blocks = (kind: string) =>
	[...SECTION.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block = ""]) => block);
const [, FIRST_SHELL = "", SECOND_SHELL = ""] = blocks("sh");
const [SETTINGS = ""] = blocks("json5");
const [, QUESTION = ""] = /^> (.+)$/m.exec(SECTION) ?? [];

/** The first line of the inspector: keys go to it from then on. */
const INSPECTOR = /─ Subagents .*total/;

const PASSWORD = "geese4and2pigeons";

/** The server of this test has another port than one from a package. */
const filledIn = (commands: string): string =>
	commands.replaceAll("PASSWORD", PASSWORD).replaceAll("@127.0.0.1/", `@127.0.0.1:${server.port}/`);

/** The programs, as they are on the path of somebody who installed them. */
function installed(home: Home): Record<string, string> {
	const bin = join(home.scratch, "bin");
	mkdirSync(bin);
	const program = (name: string, command: string) => {
		writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" ${command} "$@"\n`);
		chmodSync(join(bin, name), 0o755);
	};
	program("pi", `"${cliOf("0.87.1")}" -e "${stagedPackage()}"`);
	program("pi-geon", `"${join(stagedPackage(), "dist", "cli.js")}"`);
	return { PATH: [bin, home.env.PATH].join(delimiter) };
}

test("a stranger follows the page from two shells to a remote review, and sees its worker everywhere", async () => {
	const mayAnswer = gate();
	const script: Script = async ({ isChild, messages, lastUserText }) => {
		if (!isChild) {
			const isAsked = messages.at(-1)?.role === "user" && lastUserText.includes("on the pool team");
			const spawn = { task: "Review the changes.", agent: "reviewer", label: "review", pool: "team" };
			return isAsked ? toolCall("sessions_spawn", spawn) : text("Noted.");
		}
		if (!messages.some(({ role }) => role === "tool")) return toolCall("read", { path: "sum.js" });
		await mayAnswer.opened;
		return finalize(
			`Sound with fixes: ${JSON.stringify(messages).includes("a - b") ? "it subtracts" : "nothing seen"}.`,
		);
	};
	const home = await openHome({ script, files: { "sum.js": "export const sum = (a, b) => a + b;\n" } });
	commitProject(home.project);
	writeFileSync(join(home.project, "sum.js"), "export const sum = (a, b) => a - b;\n");
	const env = installed(home);

	// What createuser and createdb of the page do.
	await inDatabase(server.url("postgres"), async (client) => {
		await client.query(`CREATE ROLE geon LOGIN PASSWORD '${PASSWORD}'`);
		await client.query("CREATE DATABASE geon OWNER geon");
	});
	writeFileSync(join(home.agentDir, "pi-geon.json"), SETTINGS);

	const first = startTerminal(home, { commands: filledIn(FIRST_SHELL), env, cols: 130 });
	await first.waitForText(/! Pool team has no worker[\s\S]*takes runs of pool team, 2 at once/);

	const second = startTerminal(home, { commands: filledIn(SECOND_SHELL), env, cols: 130 });
	await second.ready();
	expect(second.history().join("\n")).toMatch(/^✓ The database.*\n(✓.*\n)+✓ An order went there and back/m);
	second.type(QUESTION);
	second.key("enter");
	await first.waitForText(/Run [0-9a-f]{8}, reviewer "review": taken from/);

	// Its worker, in the inspector, in a third shell, and on the page.
	second.key("alt+s");
	await second.waitForText(INSPECTOR);
	second.type("w");
	await second.waitForText(/1 running, 0 waiting[\s\S]*1 of 2 places taken/);
	const [, address = ""] = /TEAM_POOL='(.*)'/.exec(filledIn(SECOND_SHELL)) ?? [];
	const status = await piGeon(home, ["pool", "status"], { env: { TEAM_POOL: address } });
	expect(status.stdout).toMatch(
		/^Pool team: 1 running, 0 waiting for a worker\n1 worker:\n.* · 1 of 2 places taken · pi-geon/,
	);
	const served = await servePageOf(home, [], { env: { TEAM_POOL: address } });
	browser = await startBrowser();
	const page = await browser.newPage();
	const trouble = watchTrouble(page, served.origin);
	await page.goto(served.url);
	await page.getByRole("link", { name: "Pools" }).click();
	await page.getByText("1 of 2").waitFor();

	mayAnswer.open();
	await first.waitForText(/reviewer "review": finished after/);
	await page.getByText("0 of 2").waitFor();
	await second.waitForText(/0 running, 0 waiting/);
	second.type("q");
	// The inspector shows this answer too: it has to be closed before the next key.
	await second.waitForText(/^(?![\s\S]*q close)[\s\S]*Sound with fixes: it subtracts\./);

	// The database goes away: everybody says so.
	await server.stop();
	await first.waitForText(/Pool team cannot be reached: .*Trying again\./s);
	await page.getByText(/The pool cannot be reached: connect ECONNREFUSED/).waitFor();
	second.key("alt+s");
	await second.waitForText(INSPECTOR);
	second.type("w");
	await second.waitForText(/Pool team cannot be reached: connect ECONNREFUSED[\s\S]*Nothing listens there/);
	expect(trouble).toEqual([]);
	first.key("ctrl+c");
	expect(await first.exited).toBe(0);
	second.type("q");
	await second.waitForText(/^(?![\s\S]*q close)/);
	second.key("ctrl+c", "ctrl+d");
	served.kill("SIGTERM");
	await served.ended;
});
