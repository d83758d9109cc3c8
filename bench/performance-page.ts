import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { chartOf } from "./chart.ts";
import { median } from "./figures.ts";
import { machineInWords } from "./machine.ts";
import { FIGURES, type Figure, type PeerFigures, type PeersResult } from "./measure-peers.ts";
import { goalInWords, KINDS, markOf, shown } from "./peers-table.ts";
import { type Measured, meets } from "./report.ts";
import type { BenchRun, Results } from "./results.ts";

export const PAGE_FILE = join(repositoryRoot, "docs", "performance.md");
export const COMPARISON_FILE = join(repositoryRoot, "docs", "compared.md");
const CHART_FILE = join(repositoryRoot, "docs", "images", "performance.svg");

/** Writes the tables of the page and its chart, and the figures of the comparison, from what was measured. */
export function writePage(results: Results): void {
	writeFileSync(PAGE_FILE, filledPage(readFileSync(PAGE_FILE, "utf8"), results));
	writeFileSync(COMPARISON_FILE, filledComparison(readFileSync(COMPARISON_FILE, "utf8"), results.peers));
	const [last] = results.peers.slice(-1);
	if (last) writeFileSync(CHART_FILE, chartOf({ ...last, packages: middlePackages(results.peers) }));
}

/** The page with the parts between `<!-- measured: … -->` and `<!-- end -->` as the results are. */
export function filledPage(page: string, results: Results): string {
	const parts: Record<string, string> = { bench: benchTable(results.bench), peers: peersTable(results.peers) };
	return page.replaceAll(
		/(<!-- measured: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
		(_all, begin: string, name: string, end: string) => `${begin}${parts[name] ?? ""}${end}`,
	);
}

/** Rows of the comparison that are figures, and how a cell names one. */
const COMPARED: readonly { row: string; figure: Figure; unit: string }[] = [
	{ row: "**Cost to your prompt**", figure: "prompt", unit: "characters" },
	{ row: "Added startup time of pi", figure: "startUp", unit: "ms" },
	{ row: "First delegation of `pi -p`, if the model answers at once", figure: "oneShot", unit: "ms" },
	{ row: "The same, if the model takes a second to write the call", figure: "oneShotSlow", unit: "ms" },
];

/** The comparison with the figures of the results in its rows. The lowest of a row is bold. */
export function filledComparison(page: string, runs: readonly PeersResult[]): string {
	const packages = middlePackages(runs);
	return page.replaceAll(/^\| .*$/gm, (line) => {
		const compared = COMPARED.find(({ row }) => line.startsWith(`| ${row}`));
		if (!compared) return line;
		const [before, what, ...cells] = line.split("|");
		const values = COLUMNS.map((name) => packages.find((each) => each.name === name)?.figures[compared.figure]);
		const best = Math.min(...values.filter((value) => typeof value === "number"));
		const filled = cells.map((cell, index) => {
			const value = values[index];
			if (value === undefined) return cell;
			const words = typeof value === "string" ? "failed" : `${Math.round(value).toLocaleString("en")} ${compared.unit}`;
			return cell.replace(/(\*\*)?([\d.,]+ (ms|characters)|failed)(\*\*)?/, value === best ? `**${words}**` : words);
		});
		return [before, what, ...filled].join("|");
	});
}

/** The packages of the comparison, from left to right. */
const COLUMNS = ["pi-geon", "pi-subagents", "@tintinweb/pi-subagents"] as const;

const NOTHING = (option: string): string => `Nothing is recorded yet: \`npm run bench${option} --save\` does that.\n`;

function benchTable(runs: readonly BenchRun[]): string {
	const [last] = runs.slice(-1);
	if (!last) return NOTHING(" --");
	const tables = last.reports.map(({ title, rows }, part) => {
		const lines = rows.map((row) => {
			const all = runs.flatMap(({ reports }) => reports[part]?.rows.filter(({ what }) => what === row.what) ?? []);
			return benchLine(all, row);
		});
		return `**${title}**\n\n| what | measured | goal | |\n|---|---|---|---|\n${lines.join("\n")}\n`;
	});
	return `${runsInWords(runs.length)} ${machineInWords(last.machine)}.\n\n${tables.join("\n")}`;
}

const runsInWords = (count: number): string =>
	count === 1 ? "One run, on" : `The middle of ${count} runs, with the lowest and the highest, on`;

function benchLine(all: readonly Measured[], { what, goal }: Measured): string {
	const sorted = [...all].sort((a, b) => a.value - b.value);
	const [low, middle, high] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
	if (!low || !middle || !high) throw new Error(`Nothing was measured of ${what}.`);
	const spread = low.shown === high.shown ? "" : ` (${low.shown} to ${high.shown})`;
	const mark = goal === undefined ? "" : meets(middle) ? "✓" : "✗";
	return `| ${what} | ${middle.shown}${spread} | ${goal?.shown ?? ""} | ${mark} |`;
}

function peersTable(runs: readonly PeersResult[]): string {
	const [last] = runs.slice(-1);
	if (!last) return NOTHING(" -- --peers");
	const packages = middlePackages(runs);
	const cells = (values: readonly string[]) => `| ${values.join(" | ")} |`;
	const lines = FIGURES.map((figure) => {
		const mark = markOf(figure, packages).trim();
		const figures = packages.map(
			({ name, figures: own }) => `${shown(figure, own[figure])}${spreadOf(runs, name, figure)}`,
		);
		return cells([KINDS[figure].title, ...figures, goalInWords(figure), mark]);
	});
	const heads = packages.map(({ name, version }) => `${name} ${version}`.trim());
	const failed = packages.flatMap(({ name, failure, figures }) => [
		...(failure === undefined ? [] : [`- ${name} failed: ${failure}`]),
		...Object.entries(figures).flatMap(([figure, value]) =>
			typeof value === "string" ? [`- ${name}, ${KINDS[figure as Figure].title}: ${value}`] : [],
		),
	]);
	return [
		`${runsInWords(runs.length)} ${machineInWords(last.machine)}.`,
		"",
		cells(["", ...heads, "goal", ""]),
		cells(Array.from({ length: heads.length + 3 }, () => "---")),
		...lines,
		...(failed.length > 0 ? ["", ...failed] : []),
		"",
	].join("\n");
}

const valuesOf = (runs: readonly PeersResult[], name: string, figure: Figure): number[] =>
	runs.flatMap(({ packages }) => {
		const value = packages.find((each) => each.name === name)?.figures[figure];
		return typeof value === "number" ? [value] : [];
	});

function spreadOf(runs: readonly PeersResult[], name: string, figure: Figure): string {
	const values = valuesOf(runs, name, figure);
	const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => shown(figure, value));
	return values.length < 2 || low === high ? "" : ` (${low} to ${high})`;
}

/** The packages of the last run, with the middle figures of all runs. */
function middlePackages(runs: readonly PeersResult[]): PeerFigures[] {
	const [last] = runs.slice(-1);
	return (last?.packages ?? []).map((each) => ({
		...each,
		figures: Object.fromEntries(
			FIGURES.flatMap((figure) => {
				const values = valuesOf(runs, each.name, figure);
				const value = values.length > 0 ? median(values) : each.figures[figure];
				return value === undefined ? [] : [[figure, value]];
			}),
		),
	}));
}
