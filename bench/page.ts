import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRedactor } from "../src/collect/redact/redactor.ts";
import { openLedger } from "../src/ledger/ledger.ts";
import { placesIn } from "../src/ledger/places.ts";
import { NO_LOG } from "../src/log/log.ts";
import { servePage } from "../src/page/server/serve.ts";
import { socketWire } from "../src/processes/socket-wire.ts";
import { median, ms } from "./figures.ts";
import { fillLedger } from "./full-ledger.ts";
import { type Measured, progress, report } from "./report.ts";

/**
 * What the server of the live page costs: `npx --no-install node bench/page.ts`. A ledger with 10,000 runs and a transcript of
 * 10,000 messages. Times are of the whole request, the median of several.
 */
const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "15" },
		runs: { type: "string", default: "10000" },
		messages: { type: "string", default: "10000" },
		idle: { type: "string", default: "10" },
		json: { type: "boolean" },
	},
});
const [TRIES, RUNS, MESSAGES] = [Number(values.rounds), Number(values.runs), Number(values.messages)];
const IDLE_MS = Number(values.idle) * 1000;

const folder = mkdtempSync(join(tmpdir(), "pi-geon-page-"));
try {
	const places = placesIn(folder);
	await fillLedger(places.ledger, RUNS - 1);
	const runId = await withTranscript(places.ledger, join(folder, "transcript.jsonl"));
	const bundle = join(folder, "bundle");
	mkdirSync(bundle);
	for (const name of ["index.html", "page.js", "page.css"]) writeFileSync(join(bundle, name), "");
	const page = await servePage(
		{
			...{ version: "0", cwd: folder, places, treesRoot: folder, bundle, log: NO_LOG },
			redactor: createRedactor({ secrets: [], homeDir: folder }),
			agents: async (cwd) => ({ cwd, isTrusted: true, agents: [], untrusted: 0, problems: [] }),
			ended: () => {},
			hasPools: () => false,
			lookAtPools: async () => [],
			doctor: async () => [],
			post: async () => ({ status: "error", error: "" }),
		},
		{ wire: socketWire },
	);
	const headers = { Authorization: `Bearer ${page.token}` };
	const get = async (path: string) => (await fetch(`http://127.0.0.1:${page.port}${path}`, { headers })).text();
	const requests: [what: string, path: string][] = [
		["overview", "/api/overview"],
		["list, first page of 100", "/api/runs"],
		["list, page in the middle", `/api/runs?before=${RUNS / 2}`],
		["list, found by text", "/api/runs?text=where+it"],
		["list, those that failed", "/api/runs?status=failed"],
		["one run", `/api/runs/${runId}`],
		["costs of a year", "/api/costs?days=366"],
		["transcript, first time", `/api/runs/${runId}/transcript`],
		["transcript, end", `/api/runs/${runId}/transcript`],
		["transcript, page in the middle", `/api/runs/${runId}/transcript?before=${MESSAGES / 2}`],
		["turns", `/api/runs/${runId}/turns`],
	];
	const rows: Measured[] = [];
	for (const [what, path] of requests) {
		progress(what);
		const times = what.endsWith("first time") ? 1 : TRIES;
		const { took, bytes } = await middleOf(times, () => get(path));
		rows.push({ what, value: took, shown: `${ms(took)}, ${(bytes / 1024).toFixed(0)} kB` });
	}
	progress("idle");
	rows.push(idleRow("no page is open", await cpuOver(IDLE_MS)));
	const open = new AbortController();
	const stream = await fetch(`http://127.0.0.1:${page.port}/api/events`, { headers, signal: open.signal });
	await stream.body?.getReader().read();
	rows.push(idleRow("a page is open, and nothing happens", await cpuOver(IDLE_MS)));
	open.abort();
	await page.close();
	report(`The server of the live page: ${RUNS} runs, ${MESSAGES} messages`, rows);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

async function middleOf(tries: number, work: () => Promise<string>): Promise<{ took: number; bytes: number }> {
	const took: number[] = [];
	let bytes = 0;
	for (let count = 0; count < tries; count++) {
		const began = performance.now();
		bytes = Buffer.byteLength(await work());
		took.push(performance.now() - began);
	}
	return { took: median(took), bytes };
}

/** Four cheap looks a second, and nothing else. */
function idleRow(what: string, percent: number): Measured {
	const shown = `${percent.toFixed(2)} %`;
	return { what: `${what}, of a core`, value: percent, shown, goal: { atMost: 1, shown: "at most 1 %" } };
}

async function cpuOver(ms: number): Promise<number> {
	const before = process.cpuUsage();
	const began = performance.now();
	await sleep(ms);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000 / ((performance.now() - began) / 100);
}

/** Gives the newest run a transcript. */
async function withTranscript(ledgerFile: string, file: string): Promise<string> {
	const ledger = await openLedger(ledgerFile);
	const run = ledger.get<{ id: string; session_id: string }>("SELECT id, session_id FROM runs ORDER BY seq DESC");
	if (!run) throw new Error("There is no run.");
	// As if all of them were of today, so that costs count them.
	ledger.run("UPDATE runs SET created_at = ?", Date.now());
	ledger.run("UPDATE sessions SET file = ? WHERE id = ?", file, run.session_id);
	ledger.close();
	const usage = { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0, cost: { total: 0.01 } };
	const lines = Array.from({ length: MESSAGES }, (_, n) => {
		const content = [{ type: "text", text: `Message ${n}. ${"Some words that are said. ".repeat(30)}` }];
		const message = { role: "assistant", content, usage, stopReason: "stop", provider: "p", model: "m" };
		const timestamp = new Date(n * 1000).toISOString();
		return JSON.stringify({ type: "message", id: `m${n}`, parentId: n === 0 ? null : `m${n - 1}`, timestamp, message });
	});
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify({ type: "session", version: 3, id: "s" })}\n${lines.join("\n")}\n`);
	return run.id;
}
