import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startTerminal } from "../helpers/pi.ts";
import { isShare } from "../helpers/share.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually } from "./ledger-of.ts";

const openHome = useHome();

const SIZES = [
	{ cols: 80, rows: 24 },
	{ cols: 120, rows: 40 },
	{ cols: 80, rows: 18 },
];
/** pi 1.5 has another mode by default, in which it owns the scrollback. */
const WHERE = [
	...piVersions.flatMap((version) => SIZES.map((size) => ({ version, tuiMode: "regular", ...size }))),
	{ version: "1.5.0", tuiMode: "fullscreen", cols: 80, rows: 18 },
] as const;
/** How often each run says something while full clears are counted. */
const SAYINGS = 12;

/** Delegates as often as it is asked to: `delegate 3 red` makes the tasks red 1, red 2 and red 3. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text(`All of ${lastUserText} came home.`);
	const [, amount, colour] = lastUserText.split(" ");
	const delegations = Array.from({ length: Number(amount) }, (_, index) =>
		delegateTo("explorer", `Look at ${colour} number ${index + 1} in this orchard`),
	);
	// The rows of other tools push that of the run out of sight.
	return colour === "amber" ? [...delegations, ...Array.from({ length: 5 }, () => toolCall("ls", {}))] : delegations;
};

// In `npm test` the smallest screen, in the default mode of each version.
test.each(
	isShare
		? WHERE.filter(({ rows, version, tuiMode }) => rows === 18 && (version === "1.5.0") === (tuiMode === "fullscreen"))
		: WHERE,
)(
	"on pi $version ($tuiMode) at $cols×$rows runs that stream do not clear the screen, and those that end clear it once a second",
	{ timeout: 180_000 },
	async ({ tuiMode, ...where }) => {
		const said = new Map<string, number>();
		let mayEnd = gate();
		const child: Script = ({ firstUserText }): Reply => [
			async ({ wire }) => {
				const ending = mayEnd;
				let isOver = false;
				void ending.opened.then(() => {
					isOver = true;
				});
				for (let saying = 1; !isOver; saying += 1) {
					await wire.text(`Tree ${saying} is worth a look, and so are the ones behind it.\n`);
					said.set(firstUserText, saying);
					await sleep(100, undefined, { signal: wire.signal });
				}
			},
			finalize(`${/\w+ number \d+/.exec(firstUserText)} has one apple.\n\nIt hangs high.`),
		];
		const home = await openHome({
			script: dispatch({ parent, child }),
			files: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`tree-${n}.txt`, "A tree."])),
			settings: { tuiMode },
			config: { agents: { defaults: { subagents: { maxConcurrent: 30 } } } },
		});
		const terminal = startTerminal(home, where);
		await terminal.ready();
		for (const [runs, colour] of [
			[1, "red"],
			[3, "green"],
			[10, "blue"],
			[30, "grey"],
			[1, "amber"],
		] as const) {
			said.clear();
			mayEnd = gate();
			terminal.type(`delegate ${runs} ${colour}\r`);
			await eventually(() => expect(said.size).toBe(runs));
			await terminal.waitForText(/Tree \d+ is/);
			const before = terminal.fullClears;
			const from = new Map(said);
			await eventually(() => {
				for (const [task, saying] of said) expect(saying).toBeGreaterThan((from.get(task) ?? 0) + SAYINGS);
			});
			expect(terminal.fullClears - before, `${runs} runs, while they stream`).toBe(0);
			const endsSince = performance.now();
			mayEnd.open();
			await terminal.waitForText(new RegExp(`All of delegate ${runs} ${colour} came home`));
			// pi owns the scrollback in the other mode: what is above the screen cannot be read here.
			if (tuiMode === "regular") await eventually(() => expect(answersIn(terminal, colour)).toBe(runs));
			const seconds = (performance.now() - endsSince) / 1000;
			expect(terminal.fullClears - before, `${runs} runs, as they end`).toBeLessThanOrEqual(1 + Math.floor(seconds));
		}
	},
);

/** How many of these runs have their answer on the screen or above it. */
function answersIn(terminal: TestTerminal, colour: string): number {
	const answers = terminal
		.history()
		.join("\n")
		.matchAll(new RegExp(`${colour} number \\d+ has one apple`, "g"));
	return new Set([...answers].map(([answer]) => answer)).size;
}
