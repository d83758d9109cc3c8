// Makes docs/images/delegation.svg, the picture in the README: a real pi in a real terminal, with a scripted model on this
// machine. Run `node scripts/picture.mjs` after a change of what a delegation looks like; it needs a built dist/.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { endLeftovers } from "../demo/leftovers.ts";
import { serveModel } from "../demo/offline-model.ts";
import { baseEnvironment, ensureBuilt, pi, root, writeOfflineAgentDir } from "../demo/setup.ts";
import { terminalSvg } from "./terminal-svg.mjs";

const COLS = 100;
const ROWS = 36;
const PROMPT = "Where is login handled, and is it safe? Ask the explorer and the reviewer.";
const PATIENCE_MS = 20_000;
/** So that the times on the screen are not all zero. */
const THINKING_MS = 700;

/** A project for the children to look at; what they are scripted to say about it is true. */
const PROJECT = {
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

const ANSWER = `Login is handled in \`src/login.ts:4\`, by \`login()\`.

- \`src/server.ts:3\` registers it for \`POST /login\`
- \`src/login.ts:6\` compares the password
- \`src/sessions.ts:1\` makes the session`;

const { promise: pictureTaken, resolve: endScene } = Promise.withResolvers();

const call = (name, args) => (wire) => wire.toolCall(name, JSON.stringify(args));

/** What each part says, turn by turn. The reviewer's last turn lasts until the picture is taken. */
const SCENE = {
	parent: [
		async (wire) => {
			await wire.text("I ask both at once.");
			await call("subagent", { agent: "explorer", task: "Find where login is handled. Report files and lines." })(wire);
			await call("subagent", { agent: "reviewer", task: "Review src/login.ts for security problems." })(wire);
		},
		(wire) => wire.text("Done."),
	],
	explorer: [
		call("grep", { pattern: "login", path: "src" }),
		call("read", { path: "src/login.ts" }),
		call("subagent_finalize", { status: "SUCCESS", result: ANSWER }),
	],
	reviewer: [
		call("read", { path: "src/login.ts" }),
		call("grep", { pattern: "password", path: "src" }),
		async (wire) => {
			await wire.text("The password is compared as plain text: let me see how users are stored.");
			await call("read", { path: "src/users.ts" })(wire);
		},
		async (wire) => {
			await pictureTaken;
			await wire.text("Enough.");
		},
	],
};

async function answer(request, wire) {
	const part = request.tools.includes("subagent")
		? "parent"
		: request.systemText.includes("You are an explorer")
			? "explorer"
			: "reviewer";
	await sleep(THINKING_MS);
	wire.usage = { input: Math.ceil(JSON.stringify(request.raw).length / 4), output: 60 };
	await SCENE[part].at(Math.min(request.turn, SCENE[part].length - 1))(wire);
	await wire.end();
}

/** Plays the scene in a terminal of its own and draws that at the moment when one child is done and one at work. */
async function picture(home) {
	const id = randomUUID();
	const project = join(home, "shop");
	const agentDir = join(home, ".pi", "agent");
	for (const [name, text] of Object.entries(PROJECT)) write(join(project, name), text);
	mkdirSync(agentDir, { recursive: true });
	const model = await serveModel(answer);
	const place = await writeOfflineAgentDir(agentDir, model.baseUrl);
	const settings = { defaultProvider: "demo", defaultModel: "offline", quietStartup: true };
	write(join(agentDir, "settings.json"), JSON.stringify(settings));
	const env = { ...(await baseEnvironment(id)), ...place, HOME: home, COLORTERM: "truecolor" };
	const size = { cols: COLS, rows: ROWS };
	const pty = spawn(process.execPath, [pi, "-e", root], { name: "xterm-256color", ...size, cwd: project, env });
	const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
	const exited = new Promise((resolve) => pty.onExit(resolve));
	try {
		const shows = watch(pty, terminal);
		await shows(({ title }) => title !== "");
		pty.write(`${PROMPT}\r`);
		await shows(({ text }) => /✓ done [1-9]/.test(text) && /● running \ds.*\n.*› read src\/users/.test(text));
		return terminalSvg(terminal, {
			label: "pi with two subagents: the explorer is done, the reviewer is at work",
			// Above it pi says what it misses on this machine, such as fd.
			from:
				textOf(terminal)
					.split("\n")
					.findIndex((line) => line.includes(PROMPT)) - 1,
		});
	} finally {
		endScene();
		pty.kill("SIGHUP");
		await exited;
		await endLeftovers(id);
		await model.close();
	}
}

/** Connects the two. Resolves as soon as the screen, or the title, is as wanted. */
function watch(pty, terminal) {
	let title = "";
	let changed = () => {};
	pty.onData((data) => terminal.write(data, () => changed()));
	// It answers pi's questions about the terminal, as a real one would.
	terminal.onData((reply) => pty.write(reply));
	terminal.onTitleChange((text) => {
		title = text;
	});
	return (isWanted) =>
		new Promise((resolve, reject) => {
			const timer = setTimeout(
				() => reject(new Error(`Not within ${PATIENCE_MS} ms:\n${textOf(terminal)}`)),
				PATIENCE_MS,
			);
			changed = () => {
				if (!isWanted({ title, text: textOf(terminal) })) return;
				clearTimeout(timer);
				changed = () => {};
				resolve();
			};
			changed();
		});
}

const textOf = ({ buffer: { active }, rows }) =>
	Array.from({ length: rows }, (_, y) => active.getLine(active.viewportY + y)?.translateToString(true)).join("\n");

function write(file, text) {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

await ensureBuilt();
const home = realpathSync(mkdtempSync(join(tmpdir(), "pgp-")));
try {
	write(join(root, "docs", "images", "delegation.svg"), await picture(home));
} finally {
	rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
