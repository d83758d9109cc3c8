// What is played for the pictures: a project, what the user asks, what a scripted model says turn by turn, and when to
// take a picture. What the children are scripted to say about the project is true.
import { setTimeout as sleep } from "node:timers/promises";

/** So that the times on the screen are not all zero. */
const THINKING_MS = 700;

export const PROJECT = {
	"src/server.ts": 'import { login } from "./login.ts";\n\nroutes.post("/login", login);\n',
	"src/login.ts": `import { findUser } from "./users.ts";
import { newSession } from "./sessions.ts";

export async function login(request, reply) {
	const user = await findUser(request.body.name);
	if (!user || user.password !== request.body.password) return reply.code(401).send();
	return reply.setCookie("session", newSession(user)).send();
}
`,
	"src/users.ts": "export const findUser = (name) => db.users.findOne({ name });\n",
	"src/sessions.ts": "export const newSession = (user) => db.sessions.insert({ user: user.id });\n",
};

export const call = (name, args) => (wire) => wire.toolCall(name, JSON.stringify(args));

export const says =
	(text, ...then) =>
	async (wire) => {
		await wire.text(text);
		for (const step of then) await step(wire);
	};

const ANSWER = `Login is handled in \`src/login.ts:4\`, by \`login()\`.

- \`src/server.ts:3\` registers it for \`POST /login\`
- \`src/login.ts:6\` compares the password
- \`src/sessions.ts:1\` makes the session`;

/** The movie at the top of the README: two subagents at once, and what the model makes of their answers. */
export function tour() {
	return {
		size: { cols: 100, rows: 44 },
		prompt: "Where is login handled, and is it safe? Ask the explorer and the reviewer.",
		movie: {
			file: "tour.svg",
			label: "The user asks for two subagents. Both work side by side, answer, and pi sums up.",
			// The spinner disappears a moment after the last words.
			isReady: (text) => /The login is in[\s\S]*plain text/.test(text) && !/running|Working/.test(text),
		},
		answer: played({
			parent: [
				says(
					"I'll ask both at once.",
					call("subagent", { agent: "explorer", task: "Find where login is handled. Report files and lines." }),
					call("subagent", { agent: "reviewer", task: "Review src/login.ts for security problems." }),
				),
				says("The login is in `src/login.ts:4`. It is not safe: passwords are stored and compared as plain text."),
			],
			explorer: [
				call("grep", { pattern: "login", path: "src" }),
				call("read", { path: "src/login.ts" }),
				call("subagent_finalize", { status: "SUCCESS", result: ANSWER }),
			],
			reviewer: [
				call("read", { path: "src/login.ts" }),
				call("grep", { pattern: "password", path: "src" }),
				call("read", { path: "src/users.ts" }),
				call("subagent_finalize", {
					status: "SUCCESS",
					result: "One problem. `src/login.ts:6` compares the password as plain text, so it is stored as plain text.",
				}),
			],
		}),
	};
}

/** Two calls in one message: one child has finished, the other is running. */
export function delegation(pictureTaken) {
	const prompt = "Where is login handled, and is it safe? Ask the explorer and the reviewer.";
	return {
		size: { cols: 100, rows: 36 },
		prompt,
		pictures: [
			{
				file: "delegation.svg",
				label: "pi with two subagents: the explorer has finished, the reviewer is running",
				isReady: (text) => /✓ finished [1-9]/.test(text) && /● running \ds.*\n.*› read src\/users/.test(text),
				// Above it pi says what it misses on this machine, such as fd.
				from: prompt,
			},
		],
		answer: played({
			parent: [
				says(
					"I'll ask both at once.",
					call("subagent", { agent: "explorer", task: "Find where login is handled. Report files and lines." }),
					call("subagent", { agent: "reviewer", task: "Review src/login.ts for security problems." }),
				),
				says("Done."),
			],
			explorer: [
				call("grep", { pattern: "login", path: "src" }),
				call("read", { path: "src/login.ts" }),
				call("subagent_finalize", { status: "SUCCESS", result: ANSWER }),
			],
			reviewer: [
				call("read", { path: "src/login.ts" }),
				call("grep", { pattern: "password", path: "src" }),
				says(
					"The password is compared as plain text: let me see how users are stored.",
					call("read", { path: "src/users.ts" }),
				),
				(wire) => pictureTaken.then(() => wire.text("Enough.")),
			],
		}),
	};
}

/** Three in the background: the widget, and then the inspector. */
export function background(pictureTaken) {
	const prompt = "In the background: explore how sessions work, review the login, and look for its tests.";
	const spawn = (agent, label, task) => call("sessions_spawn", { agent, label, task });
	const untilTaken = (text) => async (wire) => {
		await wire.text(text);
		await pictureTaken;
	};
	return {
		size: { cols: 110, rows: 24 },
		prompt,
		pictures: [
			{
				file: "widget.svg",
				label: "Above pi's editor: three running subagents, a line each",
				isReady: (text) =>
					/ever expire\?/.test(text) && /plain text/.test(text) && /find \S*test/.test(text) && /[4-9]s$/m.test(text),
				from: "All three are running",
			},
			{
				file: "inspector.svg",
				label: "The inspector: the list of subagents, and the transcript of the one that is selected",
				keys: ["\x1bs", "\x1b[B"],
				isReady: (text) => /─ Subagents[\s\S]*▸. #2 reviewer[\s\S]*plain text[\s\S]* q close/.test(text),
			},
		],
		answer: played({
			parent: [
				says(
					"I'll start all three.",
					spawn("explorer", "sessions", "Find out how sessions are made, kept and ended. Report files and lines."),
					spawn("reviewer", "login", "Review src/login.ts for security problems."),
					spawn("tester", "login tests", "Find the tests of the login and run them."),
				),
				says("All three are running. I will tell you when they report."),
			],
			explorer: [
				call("grep", { pattern: "session", path: "src" }),
				call("read", { path: "src/sessions.ts" }),
				untilTaken("A session is a row with the user's id. Does it ever expire? "),
			],
			reviewer: [
				says("I'll read the login first.", call("read", { path: "src/login.ts" })),
				says(
					"`src/login.ts:6` compares the password with the stored one as it is. So it must be stored as plain text.",
					call("grep", { pattern: "password", path: "src" }),
				),
				untilTaken("Confirmed: passwords are stored as plain text. "),
			],
			tester: [
				call("find", { pattern: "**/*.test.ts", path: "." }),
				(wire) => pictureTaken.then(() => wire.text("Enough.")),
			],
		}),
	};
}

/** A worker changes two files in its tree, and the inspector shows what it changed. */
export function writing() {
	const prompt = "Have a worker compare passwords in constant time.";
	return {
		size: { cols: 100, rows: 30 },
		prompt,
		pictures: [
			{
				file: "worker.svg",
				label: "A worker has finished: two files changed, none of it in the working tree yet",
				// The spinner disappears a moment after the last words.
				isReady: (text) =>
					/✓ finished [1-9][\s\S]*Not in your working tree yet[\s\S]*The worker has finished/.test(text) &&
					!text.includes("Working"),
				from: prompt,
			},
			{
				file: "diff.svg",
				label: "The inspector: what the worker changed, line by line",
				keys: ["\x1bs", "d"],
				// The keys are drawn last.
				isReady: (text) => /─ Subagents[\s\S]*\+.*timingSafeEqual[\s\S]* d transcript/.test(text),
			},
		],
		answer: played({
			parent: [
				says(
					"I'll have a worker do that.",
					call("subagent", { agent: "worker", task: "Compare passwords in constant time, in src/login.ts." }),
				),
				says("The worker has finished. Review its changes, then apply them with `/subagents apply`."),
			],
			worker: [
				call("read", { path: "src/login.ts" }),
				call("edit", {
					path: "src/login.ts",
					edits: [
						{
							oldText: "user.password !== request.body.password",
							newText: "!isSame(user.password, request.body.password)",
						},
						{
							oldText: 'import { newSession } from "./sessions.ts";\n',
							newText: 'import { newSession } from "./sessions.ts";\nimport { isSame } from "./is-same.ts";\n',
						},
					],
				}),
				call("write", {
					path: "src/is-same.ts",
					content: `import { timingSafeEqual } from "node:crypto";

export const isSame = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
`,
				}),
				call("subagent_finalize", {
					status: "SUCCESS",
					result:
						"`login()` compares passwords with `isSame()` (`src/is-same.ts`), in constant time. No test covers it yet.",
				}),
			],
		}),
	};
}

/**
 * Each part says its turns one after the other; the last one lasts. A part that plays several roles has its turns for a word of
 * the task.
 */
export function played(parts) {
	return async (request, wire) => {
		const part = request.tools.includes("subagent")
			? "parent"
			: Object.keys(parts).find((name) => new RegExp(`You are an? ${name}`).test(request.systemText));
		await sleep(THINKING_MS);
		wire.usage = { input: Math.ceil(JSON.stringify(request.raw).length / 4), output: 60 };
		const all = parts[part ?? "parent"];
		const turns = Array.isArray(all) ? all : all[Object.keys(all).find((word) => request.firstUserText.includes(word))];
		await turns[Math.min(request.turn, turns.length - 1)](wire);
		await wire.end();
	};
}
