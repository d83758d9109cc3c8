import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Ratios, RECORDED_FILE, ratiosOfNow } from "../../bench/ratios.ts";
import { stagedPackage } from "../helpers/repository.ts";

/** How much worse a ratio may be than when it was recorded. */
const TOLERANCE = 1.5;
/** What a difference of two large figures varies by on a busy machine, whatever was recorded. */
const NOISE = 0.05;
const recorded = JSON.parse(readFileSync(RECORDED_FILE, "utf8")) as Ratios;
const highest = (name: keyof Ratios): number => recorded[name] * TOLERANCE + NOISE;
const names = Object.keys(recorded) as (keyof Ratios)[];

// Processor time of other processes is read from /proc.
describe.skipIf(process.platform !== "linux")("beside what cannot be avoided", () => {
	test("nothing costs half as much again as when it was last measured", { timeout: 180_000 }, async () => {
		const now = await ratiosOfNow(stagedPackage(), { startTaxOverStart: highest("startTaxOverStart") });
		const tooHigh = names.filter((name) => now[name] > highest(name));
		expect(tooHigh, `recorded ${JSON.stringify(recorded)}, now ${JSON.stringify(now)}`).toEqual([]);
	});

	test("what was recorded is complete", () => {
		expect(names.toSorted()).toEqual(["delegationOverBareSession", "fullLedgerOverEmpty", "startTaxOverStart"]);
	});
});
