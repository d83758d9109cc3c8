import { mb, ms, times } from "./figures.ts";
import { machineInWords } from "./machine.ts";
import { FIGURES, type Figure, type PeerFigures, type PeersResult } from "./measure-peers.ts";

const count = (value: number): string => Math.round(value).toLocaleString("en");

/** What each figure is called, how it is shown, and what pi-geon is to reach. */
export const KINDS: Record<Figure, { title: string; show: (value: number) => string; goal?: Goal }> = {
	later: { title: "later delegation", show: ms, goal: "no worse than any other" },
	first: { title: "first delegation in a session", show: ms, goal: "no worse than any other" },
	oneShot: { title: "first delegation of `pi -p`, call complete at once", show: ms, goal: 450 },
	oneShotSlow: { title: "first delegation of `pi -p`, call written in a second", show: ms, goal: 100 },
	startUp: { title: "a start of pi takes longer by", show: ms, goal: 40 },
	fanOut: { title: "32 at once, over the model's own 2 s", show: times, goal: 1.1 },
	fanOutMemory: { title: "32 at once, memory of all processes (PSS)", show: mb },
	prompt: { title: "characters of tools and prompt", show: count, goal: 3900 },
};

type Goal = number | "no worse than any other";

/** Whether ours is what it is to be; undefined if there is nothing to hold it against. */
export function reaches(figure: Figure, packages: readonly PeerFigures[]): boolean | undefined {
	const { goal } = KINDS[figure];
	const [ours, ...others] = packages
		.filter(({ name }) => !name.startsWith("limit:"))
		.map(({ figures }) => figures[figure]);
	if (goal === undefined) return undefined;
	if (typeof ours !== "number") return false;
	if (typeof goal === "number") return ours <= goal;
	const best = Math.min(...others.filter((each) => typeof each === "number"));
	return Number.isFinite(best) ? ours <= best : undefined;
}

export function markOf(figure: Figure, packages: readonly PeerFigures[]): "✓" | "✗" | " " {
	const reached = reaches(figure, packages);
	if (reached === undefined) return " ";
	return reached ? "✓" : "✗";
}

export const shown = (figure: Figure, value: number | string | undefined): string =>
	value === undefined ? "" : typeof value === "string" ? "failed" : KINDS[figure].show(value);

export const goalInWords = (figure: Figure): string => {
	const { goal, show } = KINDS[figure];
	if (goal === undefined) return "";
	return typeof goal === "number" ? `at most ${show(goal)}` : goal;
};

export function printPeers({ machine, packages }: PeersResult): void {
	console.log(`\nSide by side, ${machineInWords(machine)}`);
	for (const { name, version, failure } of packages) {
		console.log(`  ${name} ${version}${failure === undefined ? "" : ` failed: ${failure}`}`);
	}
	const measured = packages.filter(({ failure }) => failure === undefined);
	const width = Math.max(...FIGURES.map((figure) => KINDS[figure].title.length));
	const columns = measured.map(({ name }) => Math.max(name.length, 10));
	const line = (first: string, cells: string[], last: string) =>
		`${first.padEnd(width + 4)}  ${cells.map((cell, index) => cell.padStart(columns[index] ?? 0)).join("  ")}  ${last}`.trimEnd();
	console.log(
		`\n${line(
			"",
			measured.map(({ name }) => name),
			"goal",
		)}`,
	);
	for (const figure of FIGURES) {
		const mark = markOf(figure, packages);
		const cells = measured.map(({ figures }) => shown(figure, figures[figure]));
		console.log(line(`  ${mark} ${KINDS[figure].title}`, cells, goalInWords(figure)));
	}
	for (const { name, figures } of measured) {
		for (const [figure, value] of Object.entries(figures)) {
			if (typeof value === "string") console.log(`  ${name}, ${KINDS[figure as Figure].title}: ${value}`);
		}
	}
}
