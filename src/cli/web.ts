import type { PageAddress } from "../page/server/address-file.ts";
import type { RunningPage } from "../page/server/serve.ts";
import { systemPorts } from "../processes/system-ports.ts";
import type { Call, Command, ExitCode } from "./command.ts";
import { isInsideSubagent, ONLY_LOOKS, places } from "./surroundings.ts";

export const web: Command = {
	name: "web",
	takes: "[--port <n>] [--no-open]",
	does: "serve the live page with runs, transcripts, costs and changes, until Ctrl-C",
	words: [0, 0],
	options: {
		port: {
			type: "string",
			short: "p",
			takes: "<n>",
			does: "serve it on this port of 127.0.0.1 (default: a free one)",
		},
		"no-open": { type: "boolean", does: "print the address without opening a browser" },
		"with-parent": { type: "boolean", does: "exit when standard input closes, for programs that start it" },
	},
	async run(call) {
		const { options, out } = call;
		// A user with the page can change every run.
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const port = portIn(options.port);
		if (typeof port === "object") return out.misused(port.error);
		const [{ announcePage, findPage, forgetPage }, { makeDoor }] = await Promise.all([
			import("../page/server/address-file.ts"),
			import("../page/server/door.ts"),
		]);
		const { address, door } = places().page;
		for (;;) {
			const there = await findPage(address);
			if ("found" in there) return tellWhere(call, there.found, port);
			const page = await start(port, there.killed);
			if ("error" in page) return out.failed(page.error);
			if (!announcePage(address, page, there.stale)) {
				// Another server was faster. If it has exited since, this one takes its place.
				await page.close();
				continue;
			}
			try {
				makeDoor(door, page.url);
				await showAddress(call, page.url);
				return await untilLeft(options["with-parent"] === true);
			} finally {
				forgetPage(address, page);
				await removeDoor(door);
				await page.close();
			}
		}
	},
};

function portIn(value: string | boolean | undefined): number | undefined | { error: string } {
	if (typeof value !== "string") return undefined;
	const port = Number(value);
	if (Number.isSafeInteger(port) && port > 0 && port < 65_536) return port;
	return { error: `--port takes a number from 1 to 65535, not "${value}".` };
}

/** Uses the address of a killed server if that is free, so that its pages continue. */
async function start(
	port: number | undefined,
	killed: PageAddress | undefined,
): Promise<RunningPage | { error: string }> {
	const [{ servePage }, { pageSources }] = await Promise.all([
		import("../page/server/serve.ts"),
		import("./page-sources.ts"),
	]);
	const { wire } = systemPorts;
	const again = killed && (port === undefined || port === killed.port) ? killed : undefined;
	const wishes = [...(again ? [{ port: again.port, token: again.token, wire }] : []), { port, wire }];
	for (const [index, wish] of wishes.entries()) {
		try {
			return await servePage(pageSources(), wish);
		} catch (error) {
			if (!(error instanceof Error && "syscall" in error && error.syscall === "listen")) throw error;
			if (index < wishes.length - 1) continue;
			return { error: `Port ${port} cannot be used: ${error.message}. Leave --port out, and a free one is taken.` };
		}
	}
	throw new Error("There is no address to try.");
}

async function tellWhere(call: Call, { url, port: its }: PageAddress, port: number | undefined): Promise<ExitCode> {
	await showAddress(call, url, {
		note: port !== undefined && port !== its ? "The page is already served, on another port." : "",
	});
	return 0;
}

async function showAddress({ options, out }: Call, url: string, { note = "" } = {}): Promise<void> {
	if (out.isJson) out.document({ url });
	else out.lines([url]);
	if (note !== "") process.stderr.write(`pi-geon: ${note}\n`);
	if (options["no-open"] === true || out.isJson || !out.isTerminal) return;
	const { openInBrowser } = await import("../page/server/door.ts");
	if (!(await openInBrowser(places().page.door))) {
		process.stderr.write("pi-geon: No browser could be started. Open the address yourself.\n");
	}
}

async function removeDoor(door: string): Promise<void> {
	const { rm } = await import("node:fs/promises");
	await rm(door, { force: true });
}

/** Runs until Ctrl-C, until the terminal closes, or, `withParent`, until standard input closes. */
function untilLeft(withParent: boolean): Promise<ExitCode> {
	const { promise, resolve } = Promise.withResolvers<ExitCode>();
	const left = (code: ExitCode) => {
		// Nothing else may keep the process alive.
		if (withParent) process.stdin.destroy();
		resolve(code);
	};
	const ended = () => left(0);
	process.once("SIGINT", () => left(130));
	process.once("SIGTERM", ended);
	process.once("SIGHUP", ended);
	if (withParent) process.stdin.resume().once("end", ended).once("close", ended).once("error", ended);
	return promise;
}
