// Runs the commands that the documents show, and gives each page back with what they printed. A block that begins with
// ```console holds commands, each after "$ ", and below each what it prints. Every page is played from its top in a home of its
// own, with a real pi and the scripted model of scripts/plays.mjs. `node scripts/replay.mjs` writes the pages again;
// test/docs/shown.test.ts compares.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { endLeftovers } from "../demo/leftovers.ts";
import { serveModel } from "../demo/offline-model.ts";
import { baseEnvironment, ensureBuilt, pi, root, writeOfflineAgentDir } from "../demo/setup.ts";
import { plays } from "./plays.mjs";
import { PROJECT } from "./scenes.mjs";

const PATIENCE_MS = 60_000;
const BLOCK = /^```console\n([\s\S]*?)^```$/gm;

export const pages = Object.keys(plays);

/** The page as it is, with what its commands print now. */
export async function replayed(page) {
	const before = readFileSync(join(root, page), "utf8");
	const blocks = [...before.matchAll(BLOCK)].map(([, block]) => block);
	if (blocks.length === 0) throw new Error(`${page} shows no commands.`);
	await ensureBuilt();
	const home = realpathSync(mkdtempSync(join(tmpdir(), "pgr-")));
	const id = randomUUID();
	const model = await serveModel(plays[page]);
	try {
		const stage = await makeStage(home, { id, model });
		const after = [];
		for (const block of blocks) after.push(await playBlock(block, stage));
		return before.replace(BLOCK, () => `\`\`\`console\n${after.shift()}\`\`\``);
	} finally {
		await endLeftovers(id);
		await model.close();
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function makeStage(home, { id, model }) {
	const [project, bin, agentDir] = [join(home, "shop"), join(home, "bin"), join(home, ".pi", "agent")];
	for (const [name, content] of Object.entries(PROJECT)) write(join(project, name), content);
	mkdirSync(agentDir, { recursive: true });
	const place = await writeOfflineAgentDir(agentDir, model.baseUrl);
	program(join(bin, "pi"), `exec "${process.execPath}" "${pi}" -e "${root}" "$@"`);
	program(join(bin, "pi-geon"), `exec "${process.execPath}" "${join(root, "dist", "cli.js")}" "$@"`);
	const base = await baseEnvironment(id, home);
	const env = {
		...base,
		...place,
		HOME: home,
		PATH: [bin, base.PATH].join(delimiter),
		COLUMNS: "100",
		NO_COLOR: "1",
		GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
		GIT_CONFIG_NOSYSTEM: "1",
	};
	write(env.GIT_CONFIG_GLOBAL, "[user]\n\tname = You\n\temail = you@example.com\n[init]\n\tdefaultBranch = main\n");
	await execute("git init -q && git add -A && git commit -q -m Start", { cwd: project, env });
	return { cwd: project, env, home };
}

async function playBlock(block, stage) {
	const commands = block.match(/^\$ .*(?:\n> .*)*$/gm) ?? [];
	let shown = "";
	for (const command of commands) {
		const line = command.slice(2).replaceAll("\n> ", "\n");
		const output = tidied((await execute(line, stage)).replaceAll(stage.home, "~").trimEnd());
		shown += `${command}\n${output === "" ? "" : `${output}\n`}`;
	}
	return shown;
}

/** Without the lines of progress: how many come depends on the machine. */
const tidied = (output) => output.replaceAll(/^pi-geon: waiting for .*\n/gm, "");

/** What is the same each time that a page is played: times, ids and costs are not. */
export const withoutFigures = (shown) =>
	shown
		.replaceAll(/[0-9a-f]{8}[0-9a-f-]*/g, "0")
		.replaceAll(/\d+(\.\d+)?k?/g, "0")
		.replaceAll(/0m0s|0ms/g, "0s")
		.replaceAll(/ +/g, " ");

/** What a shell prints for the line, errors included. The lines are ours: they stand in the documents. */
async function execute(line, { cwd, env }) {
	const shell = spawn("sh", ["-c", `exec 2>&1; ${line}`], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
	const timer = setTimeout(() => shell.kill("SIGKILL"), PATIENCE_MS);
	const [printed] = await Promise.all([text(shell.stdout), new Promise((resolve) => shell.on("close", resolve))]);
	clearTimeout(timer);
	return printed;
}

function program(file, line) {
	write(file, `#!/bin/sh\n${line}\n`);
	chmodSync(file, 0o755);
}

function write(file, content) {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, content);
}

if (process.argv[1] === import.meta.filename) {
	for (const page of process.argv.length > 2 ? process.argv.slice(2) : pages) {
		console.log(`${page} …`);
		writeFileSync(join(root, page), await replayed(page));
	}
}
