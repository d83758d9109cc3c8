/** One line of what was measured, with the goal it is held against, if there is one. */
export interface Measured {
	what: string;
	value: number;
	shown: string;
	goal?: { atMost: number; shown: string };
}

export const meets = ({ value, goal }: Measured): boolean => goal === undefined || value <= goal.atMost;

/** Shows progress. Not where the figures go. */
export const progress = (text: string): boolean => process.stderr.write(`… ${text}\n`);

export interface Report {
	title: string;
	rows: readonly Measured[];
}

/** Prints the table for people, and with `--json` the data alone. */
export function report(title: string, rows: readonly Measured[]): void {
	if (process.argv.includes("--json")) {
		console.log(JSON.stringify({ title, rows } satisfies Report));
		return;
	}
	printTable({ title, rows });
}

export function printTable({ title, rows }: Report): void {
	const width = (of: (row: Measured) => string) => Math.max(...rows.map((row) => of(row).length));
	const goalOf = (row: Measured) => row.goal?.shown ?? "";
	const [what, shown, goal] = [width((row) => row.what), width((row) => row.shown), width(goalOf)];
	console.log(`\n${title}`);
	for (const row of rows) {
		const mark = row.goal === undefined ? " " : meets(row) ? "✓" : "✗";
		console.log(
			`  ${mark} ${row.what.padEnd(what)}  ${row.shown.padStart(shown)}  ${goalOf(row).padEnd(goal)}`.trimEnd(),
		);
	}
}
