/**
 * What 100 documents leave behind in the memory of a process that converts them, as a host does: a thread for each, two at
 * a time.
 *
 *   node bench/conversions.ts [--rounds 100] [--json]
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { convertDocument, type RawDocument } from "../src/web/convert/convert.ts";
import { convertWorker } from "../test/helpers/repository.ts";
import { makeDocx, makePdf } from "../test/web/documents.ts";
import { makeEpub, makeXlsx } from "../test/web/office.ts";
import { API_PAGE } from "../test/web/pages-of-ours.ts";
import { mb } from "./figures.ts";
import { progress, report } from "./report.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "100" }, json: { type: "boolean" } } });
const ROUNDS = Number(values.rounds);
const MOST_GROWTH = 100_000_000;

const worker = convertWorker();
const limits = { timeoutMs: 60_000, signal: undefined };
const rows = '<row><c t="s"><v>0</v></c><c><v>90</v></c></row>'.repeat(20_000);
const documents = [
	Buffer.from(API_PAGE.repeat(40)),
	makePdf(Array.from({ length: 100 }, (_, page) => `Page ${page} of a report about flights`)),
	makeXlsx({ Flights: rows }, ["Racer"]),
	makeEpub({ "a.xhtml": API_PAGE.repeat(10) }),
	makeDocx(),
].map((bytes): RawDocument => ({ bytes, url: "https://docs.example/", preferReader: true }));

/** What is still needed after everything else was given back. */
function resident(): number {
	setFlagsFromString("--expose-gc");
	runInNewContext("gc")();
	return process.memoryUsage.rss();
}

const convertNext = async (place: number): Promise<void> => {
	const document = documents[place % documents.length];
	if (document) await convertDocument(document, worker, limits);
};

progress(`${ROUNDS} conversions`);
const before = resident();
for (let place = 0; place < ROUNDS; place += 2) await Promise.all([convertNext(place), convertNext(place + 1)]);
const growth = resident() - before;
report(`Memory after ${ROUNDS} conversions`, [
	{
		what: "growth of the process",
		value: growth,
		shown: mb(growth),
		goal: { atMost: MOST_GROWTH, shown: `at most ${mb(MOST_GROWTH)}` },
	},
]);
