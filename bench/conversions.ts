/**
 * What 100 documents leave behind in the memory of the host whose child converts them, two at a time, when it has had ten
 * seconds of rest.
 *
 *   node bench/conversions.ts [--rounds 100] [--json]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { finalize } from "../test/e2e/child.ts";
import { makeHome } from "../test/helpers/home.ts";
import { hostPids, killHosts } from "../test/helpers/hosts.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { dispatch } from "../test/helpers/model-scripts.ts";
import { text, toolCall } from "../test/helpers/model-steps.ts";
import { startRpc } from "../test/helpers/rpc.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { makeDocx, makePdf } from "../test/web/documents.ts";
import { makeEpub, makeXlsx } from "../test/web/office.ts";
import { API_PAGE } from "../test/web/pages-of-ours.ts";
import { mb } from "./figures.ts";
import { proportionalSize } from "./process-tree.ts";
import { progress, report } from "./report.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "100" }, json: { type: "boolean" } } });
const ROUNDS = Number(values.rounds);
const AT_ONCE = 2;
const REST_MS = 10_000;
const MOST_GROWTH = 100_000_000;

const rows = '<row><c t="s"><v>0</v></c><c><v>90</v></c></row>'.repeat(20_000);
const documents: Record<string, string | Buffer> = {
	"page.html": API_PAGE.repeat(40),
	"report.pdf": makePdf(Array.from({ length: 100 }, (_, page) => `Page ${page} of a report about flights`)),
	"flights.xlsx": makeXlsx({ Flights: rows }, ["Racer"]),
	"book.epub": makeEpub({ "a.xhtml": API_PAGE.repeat(10) }),
	"letter.docx": makeDocx(),
};
const names = Object.keys(documents);

progress(`${ROUNDS} conversions`);
const memory: number[] = [];
const staged = stagePackage();
const model = await startModel(
	dispatch({
		parent: [toolCall("subagent", { agent: "researcher", task: "Read them." }), text("Done.")],
		child: ({ turn }) => {
			const [host] = hostPids(home);
			if (host !== undefined) memory.push(proportionalSize(host));
			if (turn * AT_ONCE >= ROUNDS) return finalize("Read.");
			return Array.from({ length: AT_ONCE }, (_, index) =>
				toolCall("convert_content", { path: names[(turn * AT_ONCE + index) % names.length] }),
			);
		},
	}),
);
const home = await makeHome({ model, extension: staged.path, config: { web: { enabled: true } } });
for (const [name, content] of Object.entries(documents)) writeFileSync(join(home.project, name), content);
// The host outlives the run, as between two tasks of a user.
const rpc = startRpc(home, { env: { PI_GEON_HOST_IDLE_MS: "60000" } });
let atRest = 0;
try {
	await rpc.promptAndSettle("Go.", 600_000);
	await sleep(REST_MS);
	const [host = 0] = hostPids(home);
	atRest = proportionalSize(host);
} finally {
	await rpc.close();
	killHosts(home);
	await cleanup(home);
	await model.close();
	staged.remove();
}
if (memory.length !== ROUNDS / AT_ONCE + 1) throw new Error(`The child asked its model ${memory.length} times.`);
const [before = 0] = memory;
const growth = atRest - before;
report(`Memory of a host after ${ROUNDS} conversions`, [
	{
		what: "growth of the host",
		value: growth,
		shown: `${mb(growth)} (from ${mb(before)}, at most ${mb(Math.max(...memory))} in between)`,
		goal: { atMost: MOST_GROWTH, shown: `at most ${mb(MOST_GROWTH)}` },
	},
]);
