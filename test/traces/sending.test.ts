import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import type { RunId } from "../../src/run/ids.ts";
import { Supervisor } from "../../src/supervise/supervisor.ts";
import { runTraces } from "../../src/traces/run-traces.ts";
import { spansIn } from "../helpers/collector.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const KEY = "zx81-correct-horse-battery-staple";
const LONG_MS = 60_000;

const servers: Server[] = [];
afterEach(() => {
	for (const server of servers.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

/** A collector that answers each request in its own way. */
async function collectorThat(...answers: ((response: ServerResponse) => void)[]) {
	const bodies: string[] = [];
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		bodies.push(Buffer.concat(parts).toString());
		answers[Math.min(bodies.length, answers.length) - 1]?.(response);
	});
	servers.push(server);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const status =
	(code: number, headers: Record<string, string> = {}) =>
	(response: ServerResponse) =>
		void response.writeHead(code, headers).end(`The key was ${KEY}.`);

/** Traces of a ledger, and all that is logged about them. */
async function tracing(url: string, given?: Ledger) {
	const ledger = given ?? (await scratch.ledger());
	const logged: string[] = [];
	const write = (message: string, facts: object = {}) => void logged.push(`${message} ${JSON.stringify(facts)}`);
	const traces = runTraces({
		log: { info: write, warn: write, error: write },
		redactorFor: () => createRedactor({ secrets: [], homeDir: "/home/somebody" }),
		env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: `x-key=${KEY}` },
	});
	if (!traces) throw new Error("Traces are not wanted");
	const endedRun = () => {
		const { run } = admitRun(ledger, admission({}));
		endRun(ledger, { id: run.id, fence: run.fence, outcome: success(), at: 1 });
		return run.id;
	};
	return { ledger, logged, ended: (id: RunId) => traces.ended(id, ledger), finish: traces.finish, endedRun };
}

test("a collector that is busy is asked again; one that refuses or redirects is not, and the log says what it answered", async () => {
	const elsewhere = await collectorThat(status(200));
	const collector = await collectorThat(
		...[status(503), status(200), status(400), status(307, { location: elsewhere.url })],
	);
	const { ended, endedRun, logged } = await tracing(collector.url);
	for (const said of [/^traces sent .*"spans":1/, /not sent .*"HTTP 400"/, /not sent .*"HTTP 307"/]) {
		const before = logged.length;
		ended(endedRun());
		await expect.poll(() => logged.length, { timeout: LONG_MS }).toBe(before + 1);
		expect(logged.at(-1)).toMatch(said);
	}
	expect(collector.bodies).toHaveLength(4);
	expect(elsewhere.bodies).toEqual([]);
	expect(logged.join("\n")).not.toContain(KEY);
});

test("a collector that hangs: the process that finishes waits no longer than it says, and does not need the ledger", async () => {
	const { promise: asked, resolve } = Promise.withResolvers<void>();
	const collector = await collectorThat(() => resolve());
	const ledger = await openLedger(join(scratch.folder(), "ledger.sqlite"));
	const { ended, finish, endedRun, logged } = await tracing(collector.url, ledger);
	for (let run = 0; run < 300; run++) ended(endedRun());
	ledger.close();
	await asked;
	await finish(10);
	// Four were being sent, and 200 waited: the others are named in the log.
	await expect.poll(() => logged.length, { timeout: LONG_MS }).toBe(100);
	expect(logged.filter((line) => line.includes("too many wait"))).toHaveLength(96);
	expect(logged.filter((line) => /no answer in time|not tried/.test(line))).toHaveLength(4);
});

test("a run that ends in a parent, without a host, is sent too; one of a collector that is not there is given up", async () => {
	const collector = await collectorThat(status(200));
	const { ended, finish, logged, ledger } = await tracing(collector.url);
	const supervisor = new Supervisor({ ledger, ports, onEndedHere: ended });
	const { run } = admitRun(ledger, admission({}));
	await supervisor.watch(run.id, { signal: AbortSignal.abort() });
	supervisor.dispose();
	await finish(LONG_MS);
	expect(logged).toEqual([expect.stringContaining("traces sent")]);
	expect(spansIn(collector.bodies[0] ?? "")).toMatchObject([
		{ name: "invoke_agent scout", attributes: { "error.type": "stopped", "pi_geon.exit_code": 130 } },
	]);

	const gone = await tracing("http://127.0.0.1:9");
	gone.ended(gone.endedRun());
	await gone.finish(LONG_MS);
	expect(gone.logged).toEqual([expect.stringMatching(/not sent .*"why":"[\w]+"/)]);
});
