import { expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { startTerminal } from "../helpers/pi.ts";
import { isShare } from "../helpers/share.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A parent that spawns what it is asked to (`spawn A B C`), and says how many announces it has heard. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb === "spawn")
		return tasks.map((task) =>
			toolCall("sessions_spawn", { task: `Look for ${task}`, agent: "explorer", label: task }),
		);
	return text(`Heard ${JSON.stringify(messages).split("Status: ").length - 1} announces.`);
};

const sizes = [
	{ version: "0.87.1", cols: 120, rows: 40 },
	{ version: "0.87.1", cols: 80, rows: 24 },
	{ version: "0.87.1", cols: 60, rows: 15 },
	{ version: "1.5.0", cols: 80, rows: 24 },
] as const;

// In `npm test` the usual size, on each version.
test.each(isShare ? sizes.filter(({ rows }) => rows === 24) : sizes)(
	"on pi $version at $cols×$rows three runs are seen, read, steered, stopped and come home",
	async (size) => {
		const gates = { apples: gate(), pears: gate() };
		/** Apples works on and on, pears takes a step when it may, plums never answers. */
		const child: Script = async ({ firstUserText, lastUserText, turn }): Promise<Reply> => {
			const about = firstUserText.split(" ").at(-1);
			if (about === "plums") return [text("Nothing but plums here. "), hang()];
			if (turn === 0) return [text(`I look for ${about} in the orchard.`), toolCall("ls", { path: "." })];
			if (about === "apples") {
				return [
					text("Still among the "),
					text("apple trees. "),
					async () => gates.apples.opened,
					finalize("Three apples."),
				];
			}
			if (turn === 1) return [async () => gates.pears.opened, toolCall("ls", { path: "." })];
			return finalize(lastUserText.includes("ripe") ? "Ripe pears." : "Any pears.");
		};
		const home = await openHome({
			script: dispatch({ parent, child }),
			files: { "orchard.txt": "trees" },
			config: { subagents: { retry: { enabled: false } } },
		});
		const terminal = startTerminal(home, size);
		await terminal.ready();
		terminal.type("spawn apples pears plums\r");

		// The widget: a line each, and what they do now.
		await terminal.waitForText(/● explorer apples +› .*apple/);
		await terminal.waitForText(/● explorer pears +› .*ls/);
		await terminal.waitForText(/● explorer plums +› .*plums/);
		await terminal.waitForText(/3 running · alt\+s to view/);
		await terminal.waitForText(/Spawned\./);

		// Calm: while nothing happens but the time, there are few repaints.
		const from = Number(/pears.* (\d+)s$/m.exec(screenOf(terminal))?.[1] ?? 0);
		await terminal.waitForText(showsSecond(from + 1));
		const before = terminal.frames;
		await terminal.waitForText(showsSecond(from + 4));
		expect(terminal.frames - before).toBeLessThanOrEqual(3 * 3);

		// The inspector, with a transcript that is being written.
		terminal.key("alt+s");
		await terminal.waitForText(/─ Subagents 3 running · 3 total/);
		await terminal.waitForText(/▸● #3 explorer plums/);
		terminal.key("down", "down");
		await terminal.waitForText(/▸● #1 explorer apples/);
		terminal.key("enter");
		await terminal.waitForText(
			/I look for apples in the orchard\.\s[\s\S]*→ ls \.[\s\S]*orchard\.txt[\s\S]*Still among the apple/,
		);
		await terminal.waitForText(/─ following $/m);

		// Steer the second.
		terminal.key("escape");
		await terminal.waitForText(/enter read/);
		terminal.key("up");
		await terminal.waitForText(/▸● #2 explorer pears/);
		terminal.type("m");
		await terminal.waitForText(/Steer explorer "pears" \(enter sends\)/);
		terminal.type("only the ripe ones\r");
		await terminal.waitForText(/Sent\. It arrives/);
		gates.pears.open();
		const steered = await home.model.waitFor(
			({ isChild, lastUserText }) => isChild && /only the ripe ones/.test(lastUserText),
		);
		expect(steered.firstUserText).toBe("Look for pears");

		// Stop the third. The second ends meanwhile, and moves down in the list with the selection.
		await terminal.waitForText(/▸✓ #2 explorer pears/);
		const plums = await home.model.waitFor(({ isChild, firstUserText }) => isChild && firstUserText.endsWith("plums"));
		terminal.key("home");
		await terminal.waitForText(/▸● #3 explorer plums/);
		terminal.type("x");
		await terminal.waitForText(/Stop explorer "plums"\? y\/n/);
		terminal.type("y");
		await terminal.waitForText(/✗ #3 explorer plums/);
		await plums.ended;
		expect(plums.aborted).toBe(true);

		gates.apples.open();
		await terminal.waitForText(/✓ #1 explorer apples/);
		terminal.type("q");
		await terminal.waitForText(/Heard 2 announces\./);
		// What the user stopped is told in a line, and starts no turn.
		const delivered = "SELECT count(*) AS runs FROM runs WHERE delivery = 'delivered'";
		await eventually(() => expect(inLedger(home, delivered)).toEqual([{ runs: 3 }]));

		await eventually(() => expect(screenOf(terminal)).not.toMatch(/\d running|\d queued|─ Subagents/));
		expect(terminal.history().join("\n")).not.toMatch(/─ Subagents/);
		const heard = JSON.stringify(home.model.requests.findLast(({ isChild }) => !isChild)?.messages);
		for (const answer of ["Three apples.", "Ripe pears."]) {
			expect(heard.split(answer).length - 1, answer).toBe(1);
		}
		expect(terminal.overflows()).toEqual([]);
		for (const line of terminal.history()) expect(line.length).toBeLessThanOrEqual(size.cols);
	},
);

const screenOf = (terminal: TestTerminal): string => terminal.screen().join("\n");

/** This second or a later one: a busy machine may skip one. */
const showsSecond = (second: number): RegExp =>
	new RegExp(`pears.* (${Array.from({ length: 20 }, (_, more) => second + more).join("|")})s$`, "m");
