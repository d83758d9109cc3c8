// Makes the pictures in docs/images: a real pi in a real terminal, with a scripted model on this machine. Run
// `node scripts/picture.mjs` after a change of what is on the screen; it needs a built dist/.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { endLeftovers } from "../demo/leftovers.ts";
import { serveModel } from "../demo/offline-model.ts";
import { baseEnvironment, ensureBuilt, pi, root, writeOfflineAgentDir } from "../demo/setup.ts";
import { background, delegation, PROJECT, writing } from "./scenes.mjs";
import { terminalSvg } from "./terminal-svg.mjs";

const PATIENCE_MS = 20_000;

/** Plays a scene in a terminal of its own, and draws that whenever it is as wanted. */
async function play(makeScene, home) {
	const { promise: pictureTaken, resolve: endScene } = Promise.withResolvers();
	const { size, prompt, pictures, answer } = makeScene(pictureTaken);
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
	const pty = spawn(process.execPath, [pi, "-e", root], { name: "xterm-256color", ...size, cwd: project, env });
	const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
	const exited = new Promise((resolve) => pty.onExit(resolve));
	try {
		const shows = watch(pty, terminal);
		await shows(({ title }) => title !== "");
		pty.write(`${prompt}\r`);
		for (const { file, label, isReady, from, keys = [] } of pictures) {
			for (const key of keys) {
				const before = textOf(terminal);
				pty.write(key);
				await shows(({ text }) => text !== before);
			}
			await shows(({ text }) => isReady(text));
			write(join(root, "docs", "images", file), terminalSvg(terminal, { label, from: rowOf(terminal, from) }));
		}
	} finally {
		endScene();
		pty.kill("SIGHUP");
		await exited;
		await endLeftovers(id);
		await model.close();
	}
}

/** The row above the one that says this; the first, if that does not matter. */
function rowOf(terminal, words) {
	if (words === undefined) return 0;
	const row = textOf(terminal)
		.split("\n")
		.findIndex((line) => line.includes(words));
	return Math.max(0, row - 1);
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
for (const scene of [delegation, background, writing]) {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "pgp-")));
	try {
		await play(scene, home);
	} finally {
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}
