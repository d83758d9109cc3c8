// What the scripted model says while the pages of docs/tasks are played: for each page the parts, and what each says turn by
// turn. What the children say about the project of scripts/scenes.mjs is true.
import { call, played, says } from "./scenes.mjs";

const finds = (result) => call("subagent_finalize", { status: "SUCCESS", result });
const delegates = (agent, task, more = {}) => call("subagent", { agent, task, ...more });

const FIX = [
	call("read", { path: "src/login.ts" }),
	call("edit", {
		path: "src/login.ts",
		edits: [
			{
				oldText: "if (!user || user.password !== request.body.password)",
				newText: "if (!user || !isSame(user.password, request.body.password))",
			},
			{
				oldText: 'import { newSession } from "./sessions.ts";\n',
				newText: 'import { newSession } from "./sessions.ts";\nimport { isSame } from "./is-same.ts";\n',
			},
		],
	}),
	call("write", {
		path: "src/is-same.ts",
		content:
			'import { timingSafeEqual } from "node:crypto";\n\nexport const isSame = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));\n',
	}),
	finds("`login()` compares passwords in constant time now, with `isSame()` in `src/is-same.ts`."),
];

export const plays = {
	"docs/tasks/review-a-diff.md": played({
		parent: [
			says(
				"",
				delegates("reviewer", "Review `git diff main` for bugs."),
				delegates("reviewer", "Review `git diff main`: are the tests enough?"),
				delegates("reviewer", "Review `git diff main` for security problems."),
			),
			says(
				"Three findings:\n\n1. Bugs: none.\n2. Tests: nothing covers a wrong password.\n3. Security: src/login.ts:6 compares passwords as plain text.",
			),
		],
		reviewer: {
			bugs: [call("read", { path: "src/login.ts" }), finds("No bugs found in src/login.ts.")],
			tests: [call("ls", { path: "src" }), finds("There are no tests: nothing covers a wrong password.")],
			security: [
				call("read", { path: "src/login.ts" }),
				finds("src/login.ts:6 compares passwords as plain text, so they are stored as plain text."),
			],
		},
	}),
	"docs/tasks/explore-cheaply.md": played({
		parent: [
			delegates("explorer", "Find where login is handled. Report files and lines."),
			says("Login is handled in src/login.ts:4; src/server.ts:3 registers it."),
		],
		explorer: [
			call("grep", { pattern: "login", path: "src" }),
			finds("`login()` in src/login.ts:4 handles it. src/server.ts:3 registers it for POST /login."),
		],
	}),
	"docs/tasks/fix-a-bug.md": played({
		parent: [
			delegates("worker", "Compare passwords in constant time, in src/login.ts."),
			says("The worker is done: passwords are compared in constant time. Look at its changes before you apply them."),
		],
		worker: FIX,
	}),
	"docs/tasks/background.md": played({
		parent: [
			call("sessions_spawn", {
				agent: "tester",
				label: "login tests",
				task: "Which cases of the login have no test?",
			}),
			says("The tester is looking. I tell you when it reports."),
			says("The tester reports: the login has no tests at all. A wrong password is the case to begin with."),
		],
		tester: [
			call("ls", { path: "src" }),
			finds("There are no tests. Begin with a wrong password, then an unknown user, then a right one."),
		],
	}),
	"docs/tasks/ci.md": played({
		parent: [
			delegates("reviewer", "Review src/login.ts. Is there anything that must not be merged?"),
			says("Do not merge: src/login.ts:6 compares passwords as plain text."),
		],
		reviewer: [
			call("read", { path: "src/login.ts" }),
			finds("src/login.ts:6 compares passwords as plain text. That must not be merged."),
		],
	}),
	"docs/tasks/your-own-agent.md": played({
		parent: [
			delegates("namer", "Suggest a better name for findUser in src/users.ts."),
			says("The namer suggests `findUserByName`."),
		],
		namer: [
			call("read", { path: "src/users.ts" }),
			finds("`findUserByName`: it looks up by name, and there may be other ways later."),
		],
	}),
};
