/**
 * One real delegation, told as it happens: `npm run demo`. With a model configured for pi it uses that one; without, an
 * offline model on loopback plays both parts, so that it works on a fresh machine without a key.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { JsonLines } from "./json-lines.ts";
import { endLeftovers, waitForHosts } from "./leftovers.ts";
import { type ModelServer, serveModel } from "./offline-model.ts";
import { offlineAnswer } from "./script.ts";
import { baseEnvironment, ensureBuilt, pi, root, userHasModel, writeOfflineAgentDir } from "./setup.ts";
import { Story } from "./story.ts";

const PROMPT = "Have the explorer find where the subagent tool is registered in this repository.";

const USAGE = `Usage: npm run demo [-- --offline]

Lets pi delegate one task to the built-in explorer and shows what happens.

  --offline   use the scripted offline model even if pi has a model configured
  --help      show this`;

async function demo(forceOffline: boolean): Promise<number> {
	const story = new Story(process.stdout);
	const id = crypto.randomUUID();
	const interrupted = new AbortController();
	const interrupt = () => interrupted.abort();
	process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
	// Short, because sockets are created below it and their paths have a limit.
	const scratch = await mkdtemp(join(tmpdir(), "pgd-"));
	let model: ModelServer | undefined;
	try {
		await ensureBuilt();
		const offline = forceOffline || !(await userHasModel(scratch));
		if (offline) model = await serveModel(offlineAnswer);
		const place = model ? await writeOfflineAgentDir(scratch, model.baseUrl) : {};
		story.title(
			offline
				? "pi-geon demo: real pi, real tools; the model is a script on this machine (no network, no key)"
				: "pi-geon demo with your own pi setup and model (use --offline to avoid model costs)",
		);
		story.says("You", PROMPT);
		const started = performance.now();
		const code = await runPi({ ...(await baseEnvironment(id, scratch)), ...place }, story, interrupted.signal);
		story.fact("elapsed", `${((performance.now() - started) / 1000).toFixed(1)} s`);
		if (interrupted.signal.aborted) return 130;
		story.fact("host", await waitForHosts(id));
		if (offline) story.fact("scratch", `${scratch} (removed now, with the session in it)`);
		story.end();
		return code === 0 && story.succeeded ? 0 : 1;
	} catch (error) {
		story.problem(error instanceof Error ? error.message : String(error));
		return 1;
	} finally {
		await endLeftovers(id);
		await model?.close();
		await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function runPi(env: NodeJS.ProcessEnv, story: Story, interrupted: AbortSignal): Promise<number | null> {
	const child = spawn(process.execPath, [pi, "--mode", "json", "-e", root, "-p", PROMPT], {
		cwd: root,
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const stop = () => child.kill("SIGTERM");
	interrupted.addEventListener("abort", stop);
	const lines = new JsonLines((event) => story.event(event));
	const errors: Buffer[] = [];
	child.stdout.on("data", (bytes: Buffer) => lines.push(bytes));
	child.stderr.on("data", (bytes: Buffer) => errors.push(bytes));
	const [code] = (await once(child, "close")) as [number | null];
	if (code !== 0 && !interrupted.aborted)
		story.problem(`pi ended with exit code ${code}. ${Buffer.concat(errors)}`.trim());
	return code;
}

function main(): Promise<number> | number {
	try {
		const options = { offline: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
		const { values } = parseArgs({ options });
		if (!values.help) return demo(values.offline ?? false);
		console.log(USAGE);
		return 0;
	} catch (error) {
		console.error(`${(error as Error).message}\n\n${USAGE}`);
		return 2;
	}
}

process.exitCode = await main();
