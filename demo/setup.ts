import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MARKER } from "./leftovers.ts";

const run = promisify(execFile);

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const extension = join(root, "dist", "extension.js");
export const pi = join(root, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "bundle", "cli.js");

/** pi itself knows best whether it could use a model; the scratch folder spares a machine without pi a new `~/.pi`. */
export async function userHasModel(scratch: string): Promise<boolean> {
	const agentDir = process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi", "agent");
	const env = {
		...process.env,
		PI_OFFLINE: "1",
		PI_CODING_AGENT_DIR: existsSync(agentDir) ? agentDir : scratch,
	};
	const { stdout } = await run(process.execPath, [pi, "--no-extensions", "--list-models"], { env });
	return /^provider\s+model\s/m.test(stdout);
}

/** Programs to search with are put into the scratch folder: a subagent uses none of the project it works in. */
export async function baseEnvironment(id: string, scratch: string): Promise<NodeJS.ProcessEnv> {
	const programs = join(scratch, "programs");
	await mkdir(programs, { recursive: true });
	await copyRipgrep(programs);
	return {
		...process.env,
		PATH: [programs, join(root, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter),
		PI_SKIP_VERSION_CHECK: "1",
		// A host waits a minute for more work; in the demo, it should not.
		PI_GEON_HOST_IDLE_MS: "500",
		[MARKER]: id,
	};
}

/** Not where the platform has no packaged ripgrep: the child then looks around by hand. */
async function copyRipgrep(folder: string): Promise<void> {
	const packaged = await import("@vscode/ripgrep").catch(() => undefined);
	if (packaged) await copyFile(packaged.rgPath, join(folder, basename(packaged.rgPath)));
}

/** An agent directory whose only model is the offline one. */
export async function writeOfflineAgentDir(agentDir: string, baseUrl: string): Promise<NodeJS.ProcessEnv> {
	const model = { id: "offline", name: "Offline demo", contextWindow: 200_000, maxTokens: 8_192 };
	const provider = { baseUrl, apiKey: "none-needed", api: "openai-completions", models: [model] };
	await writeFile(join(agentDir, "models.json"), JSON.stringify({ providers: { demo: provider } }));
	await writeFile(
		join(agentDir, "settings.json"),
		JSON.stringify({ defaultProvider: "demo", defaultModel: "offline" }),
	);
	return { PI_CODING_AGENT_DIR: agentDir, PI_OFFLINE: "1" };
}

/** A clone has no dist/ until something has built it. */
export async function ensureBuilt(): Promise<void> {
	if (existsSync(extension)) return;
	await run(process.execPath, [join(root, "scripts", "build.mjs")], { cwd: root });
	if (!existsSync(extension))
		throw new Error(`The extension is not built: ${extension} is missing. Run \`npm run build\`.`);
}
