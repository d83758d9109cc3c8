import { expect, test } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { readLogs } from "../../src/log/read-logs.ts";
import { piGeon } from "../cli/pi-geon.ts";
import { type Collector, startCollector } from "../helpers/collector.ts";
import type { Home } from "../helpers/home.ts";
import { useHome } from "../helpers/use-home.ts";
import { servePageOf } from "../page/served.ts";
import { clientOf } from "../page/server/a-page.ts";
import { writeRun } from "../page/written-runs.ts";

const openHome = useHome();

/** A home whose commands send spans to this collector. */
const homeWith = ({ url }: Collector): Promise<Home> => openHome({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });

const STOPPED = { name: "invoke_agent scout", attributes: { "error.type": "stopped" } };

test("runs that a command or the live page ends without a host are sent by it", async () => {
	const collector = await startCollector();
	try {
		const home = await homeWith(collector);
		const inShell = await writeRun(home, { entries: [] });
		expect(await piGeon(home, ["stop", inShell])).toMatchObject({ code: 0 });
		expect(collector.spans).toMatchObject([{ ...STOPPED, attributes: { "pi_geon.run_id": inShell } }]);

		const onPage = await writeRun(home, { entries: [] });
		const served = await servePageOf(home);
		const page = clientOf(served, placesIn(home.agentDir), () => {});
		expect(await page.post(`/api/runs/${onPage}/stop`)).toMatchObject({ was: "open" });
		// Whatever is not sent yet is sent before it leaves.
		served.kill("SIGINT");
		await served.ended;
		expect(collector.spans).toMatchObject([{}, { ...STOPPED, attributes: { "pi_geon.run_id": onPage } }]);
	} finally {
		await collector.close();
	}
});

test("a collector that hangs does not keep a command", async () => {
	const collector = await startCollector({ hangs: true });
	try {
		const home = await homeWith(collector);
		const runId = await writeRun(home, { entries: [] });
		const stopped = await piGeon(home, ["stop", runId]);
		// It ended before the collector answered, which it never does.
		expect(stopped).toMatchObject({ code: 0, stderr: "" });
		expect(collector.received).toHaveLength(1);
		const logged = readLogs(placesIn(home.agentDir), { run: runId, limit: 100 }).map(({ message }) => message);
		expect(logged).toContain("traces are not sent");
	} finally {
		await collector.close();
	}
});
