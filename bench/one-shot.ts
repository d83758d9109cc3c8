/**
 * What the first delegation of a `pi -p` costs beside the model, where no host is running: with a call that is complete at
 * once, and with one that takes the model a second to write. From the complete call to the request with its result.
 *
 *   node bench/one-shot.ts [--rounds 9] [--json]
 */
import { parseArgs } from "node:util";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { median, ms } from "./figures.ts";
import { openOneShot } from "./one-shot-trip.ts";
import { progress, report } from "./report.ts";
import { bareSubject, ourSubject } from "./subject.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "9" }, json: { type: "boolean" } } });
const staged = stagePackage();
const ours = await openOneShot(ourSubject(staged.path, "this"));
const bare = await openOneShot(bareSubject());
const took = { atOnce: [] as number[], slow: [] as number[], bare: [] as number[] };
try {
	// The first round does not count: it compiles what the next ones find ready.
	for (let round = -1; round < Number(values.rounds); round++) {
		progress(`one-shot, round ${round + 2} of ${Number(values.rounds) + 1}`);
		const trips = [await ours.trip("at once"), await ours.trip("in a second"), await bare.trip("at once")] as const;
		if (round < 0) continue;
		took.atOnce.push(trips[0]);
		took.slow.push(trips[1]);
		took.bare.push(trips[2]);
	}
} finally {
	await ours.close();
	await bare.close();
	staged.remove();
}
const rows = [
	{
		what: "one-shot, first delegation, call complete at once",
		value: median(took.atOnce),
		goal: { atMost: 450, shown: "at most 450 ms" },
	},
	{
		what: "one-shot, first delegation, call written in a second",
		value: median(took.slow),
		goal: { atMost: 100, shown: "at most 100 ms" },
	},
	{ what: "limit: one-shot, a bare session in pi's process", value: median(took.bare) },
];
report(
	`First delegation of a one-shot pi, median of ${values.rounds}`,
	rows.map((row) => ({ ...row, shown: ms(row.value) })),
);
