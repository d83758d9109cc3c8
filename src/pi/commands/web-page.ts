import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { packageRoot } from "../../config/package-root.ts";
import { placesIn } from "../../ledger/places.ts";
import { onPath } from "../../operate/doctor/on-path.ts";
import { openInBrowser } from "../../page/server/door.ts";
import type { CommandAnswer, Subcommand } from "./command.ts";

const STARTED_WITHIN_MS = 20_000;
const IN_A_SHELL = "In a shell, `pi-geon web --no-open` prints its address.";

/** The server that this pi has started, while it runs. */
let pageServer: ChildProcess | undefined;

/**
 * Opens the live page. A separate process serves it, like `pi-geon web`, until this pi ends: its standard input is a pipe
 * from here. Does not show the address, which contains the token: the output of a command is part of the session.
 */
export const webSubcommand: Subcommand = {
	name: "web",
	takes: "",
	does: "open the live page in your browser",
	async run(args, ctx) {
		if (args.trim() !== "") return { problem: "/subagents web takes no arguments. Nothing was done." };
		// A one-shot pi exits right away, and the page would end with it.
		if (!ctx.hasUI) return { problem: `The page ends with this pi, which is about to end. ${IN_A_SHELL}` };
		const problem = pageServer ? undefined : await startServer();
		if (problem !== undefined) return { problem };
		return openPage();
	},
};

async function openPage(): Promise<CommandAnswer> {
	const isOpened = await openInBrowser(placesIn(getAgentDir()).page.door);
	const ends = "It is served until this pi, or the `pi-geon web` that serves it, ends.";
	if (isOpened) return [`The live page opens in your browser. ${ends} ${IN_A_SHELL}`];
	return [`The live page is served, but no browser could be started here. ${ends} ${IN_A_SHELL}`];
}

/** Returns the problem if it cannot be started. If a page is served already, the process reports that and exits. */
async function startServer(): Promise<string | undefined> {
	// A compiled pi is an executable of its own, which cannot run scripts.
	const node = process.versions.bun === undefined ? process.execPath : onPath(["node"], process.env);
	if (node === undefined) return `There is no Node on the PATH to serve the page with. ${IN_A_SHELL}`;
	const started = spawn(node, [join(packageRoot(), "dist", "cli.js"), "web", "--no-open", "--with-parent"], {
		stdio: ["pipe", "pipe", "pipe"],
		env: { ...process.env, PI_CODING_AGENT_DIR: getAgentDir() },
	});
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	const errors: string[] = [];
	started.stderr.setEncoding("utf8").on("data", (part: string) => errors.push(part));
	started.stdout.once("data", () => resolve(undefined));
	started.once("error", (error) => resolve(error.message));
	started.once("exit", (code) => {
		if (pageServer === started) pageServer = undefined;
		if (code !== 0) resolve(errors.join("").trim() || `The page's server exited with ${code}.`);
	});
	const timer = setTimeout(() => resolve("The page's server did not start in time."), STARTED_WITHIN_MS);
	const problem = await promise;
	clearTimeout(timer);
	if (problem !== undefined) {
		started.kill();
		return `The page cannot be served: ${problem} ${IN_A_SHELL}`;
	}
	if (started.exitCode === null) pageServer = started;
	letGo(started);
	return undefined;
}

/** The server must not keep pi from exiting. When pi exits, the pipe closes too. */
function letGo(started: ChildProcess): void {
	started.unref();
	for (const stream of [started.stdin, started.stdout, started.stderr]) {
		stream?.on("error", () => {}); // It may exit at any time.
		if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
	}
}
