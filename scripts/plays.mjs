// What the scripted model says while pages of the documents are played: for each page the parts, and what each says turn by
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
	finds("`login()` now compares passwords in constant time, with `isSame()` in `src/is-same.ts`."),
];

export const plays = {
	"docs/commands.md": played({
		parent: [
			says(
				"",
				call("sessions_spawn", { agent: "reviewer", label: "login", task: "Review src/login.ts." }),
				call("sessions_spawn", { agent: "explorer", label: "sessions", task: "Find where sessions are made." }),
			),
			says("Both are running. I will tell you when they report."),
			says("Both have reported: the login compares passwords as plain text, and src/sessions.ts makes sessions."),
		],
		reviewer: [call("read", { path: "src/login.ts" }), finds("src/login.ts:6 compares passwords as plain text.")],
		explorer: [call("read", { path: "src/sessions.ts" }), finds("`newSession()` in src/sessions.ts:1 makes them.")],
	}),
	"docs/tasks/review-a-diff.md": played({
		parent: [
			says(
				"",
				delegates("reviewer", "Review src/login.ts for bugs."),
				delegates("reviewer", "Review src/login.ts: are the tests enough?"),
				delegates("reviewer", "Review src/login.ts for security problems."),
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
			says(
				"The worker has finished: passwords are now compared in constant time. Review its changes before you apply them.",
			),
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
			says("The tester is looking. I will tell you when it reports."),
			says("The tester reports that the login has no tests. Start with a wrong password."),
		],
		tester: [
			call("ls", { path: "src" }),
			finds("There are no tests. Start with a wrong password, then an unknown user, then the right password."),
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
