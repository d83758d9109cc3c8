import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chartOf } from "../../bench/chart.ts";
import type { PeersResult } from "../../bench/measure-peers.ts";
import { reaches } from "../../bench/peers-table.ts";
import { COMPARISON_FILE, filledComparison, filledPage, PAGE_FILE } from "../../bench/performance-page.ts";
import { readResults } from "../../bench/results.ts";

const machine = { processor: "A & B", cores: 2, memoryGb: 8, system: "linux x64", node: "24.0.0", pi: "0.87.1" };
const run = (later: number): PeersResult => ({
	machine,
	packages: [
		{ name: "pi-geon", version: "1.0.0", figures: { later, oneShot: 460 } },
		{ name: "other", version: "2.0.0", figures: { later: 30, oneShot: "failed: it hung" } },
		{ name: "gone", version: "none", failure: "cannot be installed", figures: {} },
	],
});
const PAGE = "<!-- measured: peers -->\nold\n<!-- end -->\n<!-- measured: bench -->\n<!-- end -->\n";

test("the figures of the page are those of the last recorded runs", () => {
	const page = readFileSync(PAGE_FILE, "utf8");
	expect(page.match(/<!-- measured: \w+ -->/g)).toHaveLength(2);
	expect(filledPage(page, readResults())).toBe(page);
});

test("the figures of the comparison are those of the last recorded runs", () => {
	const page = readFileSync(COMPARISON_FILE, "utf8");
	const { peers } = readResults();
	expect(peers).not.toEqual([]);
	expect(filledComparison(page, peers)).toBe(page);
});

test("each cell of the comparison has the middle figure of its package, and the lowest is bold", () => {
	const packages = (startUp: number) => [
		{ name: "pi-geon", version: "1.0.0", figures: { startUp } },
		{ name: "@tintinweb/pi-subagents", version: "2.0.0", figures: { startUp: 1140 } },
		{ name: "pi-subagents", version: "3.0.0", figures: { startUp: "failed: it hung" } },
	];
	const runs = [20, 40, 25].map((startUp) => ({ machine, packages: packages(startUp) }));
	expect(filledComparison("| Added startup time of pi | 9 ms | 8 ms | **7 ms**; slow |", runs)).toBe(
		"| Added startup time of pi | **25 ms** | failed | 1,140 ms; slow |",
	);
});

test("a page shows the middle of several runs with the spread, each goal with a mark, and what failed", () => {
	const rows = [{ what: "a start", value: 41, shown: "41 ms", goal: { atMost: 40, shown: "under 40 ms" } }];
	const better = [{ ...rows[0], what: "a start", value: 39, shown: "39 ms" }];
	const bench = [rows, better, better].map((each) => ({ machine, reports: [{ title: "Start", rows: each }] }));
	const page = filledPage(PAGE, { bench, peers: [run(20), run(40), run(25)] });
	expect(page).toContain("| later delegation | 25.0 ms (20.0 ms to 40.0 ms) | 30.0 ms |");
	expect(page).toMatch(/call complete at once \| 460 ms \| failed \| .* \| ✗ \|/);
	expect(page).toContain("- gone failed: cannot be installed");
	expect(page).toContain("failed: it hung");
	expect(page).toContain("| a start | 39 ms (39 ms to 41 ms) | under 40 ms | ✓ |");
	expect(page).not.toContain("old");
});

test("a goal that is held against others is missed if one of them is better", () => {
	expect([reaches("later", run(29).packages), reaches("later", run(31).packages)]).toEqual([true, false]);
	expect([reaches("oneShot", run(1).packages), reaches("fanOutMemory", run(1).packages)]).toEqual([false, undefined]);
});

test("the chart names what was compared and the machine, and says what could not be measured", () => {
	const chart = chartOf(run(20));
	expect(chart).toContain("pi-geon 1.0.0, other 2.0.0");
	expect(chart).toContain("A &amp; B");
	expect(chart).toContain("not measured");
});
