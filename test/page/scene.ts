import { finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, thinking, toolCall, usage } from "../helpers/model-steps.ts";

/** What the parent may be told to spawn: `spawn look change`. */
export const TASKS = {
	look: { agent: "explorer", label: "look around", task: "Look around, and say what this project is about." },
	change: { agent: "worker", label: "salutation", task: "Make the greeting more formal, and document it." },
	ask: { agent: "asker", label: "database", task: "Ask which database to use, then plan the migration." },
	fail: { agent: "reviewer", label: "a review", task: "Review the module that was deleted last week." },
	hold: { agent: "tester", label: "test plan", task: "Write a test plan for every edge case there is." },
} as const;

export type TaskName = keyof typeof TASKS;

export const FILES = {
	"README.md": "# Greetings\n\nSays hello.\n",
	"greet.js": 'export const greet = (name) => "Hello, " + name;\n',
	".gitignore": "node_modules\n",
};

export const ASKER = {
	"asker.md": agentNamed("asker", "You ask before you plan.", "tools: read\nask: true"),
};

export const ANSWER = `This project says hello. **Two files** matter:

1. \`greet.js\` has the one function
2. \`README.md\` says so

\`\`\`js
export const greet = (name) => \`Hello, \${name}\`;
\`\`\`

| file | lines |
|---|---|
| greet.js | 1 |
| README.md | 3 |
`;

export interface Scene {
	script: Script;
	/** Hold back what comes after the first steps of a run, until they are opened. */
	gates: Record<"look" | "hold", Gate>;
}

/** A parent that spawns what it is told to, and children that each do what their task says. */
export function makeScene(): Scene {
	const gates = { look: gate(), hold: gate() };
	return { gates, script: dispatch({ parent, child: childOf(gates) }) };
}

const parent: Script = ({ lastUserText, lastMessage }) => {
	const [verb, ...names] = lastUserText.split(" ");
	if (lastMessage?.role === "tool" || verb !== "spawn") return text("Good.");
	return names.map((name) => toolCall("sessions_spawn", { ...TASKS[name as TaskName] }));
};

const childOf =
	(gates: Scene["gates"]): Script =>
	({ firstUserText, turn, lastUserText, toolResults }) => {
		const cost = usage({ input: 1800 + 900 * turn, output: 240 + 60 * turn, cacheRead: 5000 * turn });
		const is = (name: TaskName) => firstUserText.includes(TASKS[name].task);
		if (is("look")) return [cost, look(gates.look, turn, lastUserText)];
		if (is("change")) return [cost, change(turn)];
		if (is("ask")) return [cost, askFor(turn, toolResults.at(-1)?.text ?? "")];
		if (is("fail")) return [cost, fail(turn)];
		return [cost, hold(gates.hold, turn)];
	};

function look(opened: Gate, turn: number, told: string): Reply {
	if (turn === 0)
		return [thinking("First the files, then the code."), text("I look around first."), toolCall("ls", {})];
	if (turn === 1) {
		return [
			text("Now I read the code, "),
			async () => opened.opened.then(() => toolCall("read", { path: "greet.js" })),
		];
	}
	if (turn === 2) return finalize(`${ANSWER}\nI was told last: ${told.replace(/\s+/g, " ")}`);
	return finalize(`Once more: ${told.replace(/\s+/g, " ")}`);
}

const change = (turn: number): Reply =>
	[
		[text("I change the greeting."), toolCall("read", { path: "greet.js" })],
		toolCall("write", { path: "greet.js", content: 'export const greet = (name) => "Good day, " + name;\n' }),
		toolCall("write", { path: "docs/greeting.md", content: "# Greeting\n\nIt is formal now.\n" }),
		finalize("The greeting is formal now, and documented."),
	][turn] ?? finalize("Done.");

const askFor = (turn: number, answer: string): Reply =>
	turn === 0
		? toolCall("subagent_ask", { question: "Which database should I plan for?", options: ["PostgreSQL", "SQLite"] })
		: finalize(`I plan for this: ${answer}`);

const fail = (turn: number): Reply =>
	turn === 0
		? toolCall("read", { path: "gone.js" })
		: toolCall("subagent_finalize", { status: "ERROR", error: "The module is not there: gone.js cannot be read." });

const hold = (opened: Gate, turn: number): Reply =>
	turn === 0
		? toolCall("ls", {})
		: [text("I list the edge cases. "), async () => opened.opened.then(() => finalize("All of them."))];
