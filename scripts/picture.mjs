// Makes the pictures in docs/images: a real pi in a real terminal, with a scripted model on this machine. Run
// `node scripts/picture.mjs` after a change of what is on the screen; test/docs/pictures.test.ts says when.
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
import { background, delegation, PROJECT, tour, writing } from "./scenes.mjs";
import { frameOf, movieSvg, terminalSvg } from "./terminal-svg.mjs";

const PATIENCE_MS = 60_000;
/** A frame of a movie is shown at least this long: what came sooner is in the next one. */
const FRAME_MS = 200;
const LAST_FRAME_S = 4;

export const scenes = { tour, delegation, background, writing };

/** The pictures of a scene, as SVG by their file names. */
export async function picturesOf(scene) {
	await ensureBuilt();
	const home = realpathSync(mkdtempSync(join(tmpdir(), "pgp-")));
	try {
		return await play(scenes[scene], home);
	} finally {
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** Plays a scene in a terminal of its own, and draws that whenever it is as wanted. */
async function play(makeScene, home) {
	const { promise: pictureTaken, resolve: endScene } = Promise.withResolvers();
	const { size, prompt, pictures = [], movie, answer } = makeScene(pictureTaken);
	const id = randomUUID();
	const project = join(home, "shop");
	const agentDir = join(home, ".pi", "agent");
	for (const [name, text] of Object.entries(PROJECT)) write(join(project, name), text);
	mkdirSync(agentDir, { recursive: true });
	const model = await serveModel(answer);
	const place = await writeOfflineAgentDir(agentDir, model.baseUrl);
	const settings = { defaultProvider: "demo", defaultModel: "offline", quietStartup: true };
	write(join(agentDir, "settings.json"), JSON.stringify(settings));
	const env = { ...(await baseEnvironment(id, home)), ...place, HOME: home, COLORTERM: "truecolor" };
	const pty = spawn(process.execPath, [pi, "-e", root], { name: "xterm-256color", ...size, cwd: project, env });
	const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
	const exited = new Promise((resolve) => pty.onExit(resolve));
	const drawn = {};
	try {
		const shows = watch(pty, terminal);
		await shows(({ title }) => title !== "");
		if (movie) drawn[movie.file] = await record(movie, { pty, terminal, shows, prompt });
		else pty.write(`${prompt}\r`);
		for (const { file, label, isReady, from, keys = [] } of pictures) {
			for (const key of keys) {
				const before = textOf(terminal);
				pty.write(key);
				await shows(({ text }) => text !== before);
			}
			await shows(({ text }) => isReady(text));
			drawn[file] = terminalSvg(terminal, { label, from: rowOf(terminal, from) });
		}
		return drawn;
	} finally {
		endScene();
		pty.kill("SIGHUP");
		await exited;
		await endLeftovers(id);
		await model.close();
	}
}

/** The scene from the first key of the prompt to its last screen, with the pauses that it has. */
async function record({ label, isReady }, { pty, terminal, shows, prompt }) {
	const frames = [];
	// Above the prompt pi says what it misses on this machine, such as fd.
	const from = () => rowOf(terminal, prompt.slice(0, 20)) || rowOf(terminal, "───") + 1;
	const begun = performance.now();
	const take = () => {
		const frame = { ...frameOf(terminal, from()), at: (performance.now() - begun) / 1000 };
		if (frames.at(-1)?.rows.join() !== frame.rows.join()) frames.push(frame);
	};
	take();
	const timer = setInterval(take, FRAME_MS);
	try {
		for (const word of prompt.match(/\S+\s*/g)) {
			pty.write(word);
			await shows(({ text }) => text.replaceAll(/\s+/g, " ").includes(word.trim()));
			await sleep(FRAME_MS);
		}
		pty.write("\r");
		await shows(({ text }) => isReady(text));
	} finally {
		clearInterval(timer);
	}
	take();
	return movieSvg(frames, { label, seconds: Math.ceil(frames.at(-1).at) + LAST_FRAME_S });
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

if (process.argv[1] === import.meta.filename) {
	const images = process.argv[2] ?? join(root, "docs", "images");
	for (const scene of Object.keys(scenes)) {
		for (const [file, svg] of Object.entries(await picturesOf(scene))) write(join(images, file), svg);
	}
}
