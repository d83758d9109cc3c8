import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import { delegateTo } from "../e2e/child.ts";
import type { Home } from "../helpers/home.ts";
import { killIfThere, processesOf, ringedProcessesOf } from "../helpers/leaks.ts";
import { type Script, type ScriptedModel, startModel } from "../helpers/model.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import type { startRpc } from "../helpers/pi.ts";
import { ANY_PI, type PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { commitProject } from "./commit-project.ts";
import type { TestPostgres } from "./postgres.ts";

export { commitProject } from "./commit-project.ts";
export { startWorker } from "./worker.ts";

/** The variable that the homes of these tests have their pool's address in. */
export const POOL_VARIABLE = "TEAM_POOL";
export const POOL_CONFIG = { pools: { team: { urlEnv: POOL_VARIABLE } } };

/** The machine loses its power: every process of it, in rings too. Nothing of it comes back. */
export function killMachine(home: Home): void {
	for (const { pid } of [...processesOf(home), ...ringedProcessesOf(home)]) killIfThere(pid);
	const hosts = join(home.agentDir, "pi-geon", "hosts");
	for (const name of readdirSync(hosts)) if (name.endsWith(".sock")) rmSync(join(hosts, name), { force: true });
}

export interface Announce {
	content: string;
	details: AnnounceDetails;
}

/** The announces that a session file holds. */
export const announcesIn = (file: string): Announce[] =>
	readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { type: string; customType?: string } & Announce)
		.filter((entry) => entry.type === "custom_message" && entry.customType === "pi-geon:announce");

export const sessionFileOf = async (rpc: ReturnType<typeof startRpc>): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

/** `spawn AGENT TASK` and `send KEY MESSAGE`; everything else is heard. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [verb, first = "", ...rest] = lastUserText.split(" ");
	const task = rest.join(" ");
	if (verb === "spawn") return toolCall("sessions_spawn", { task, agent: first, label: task, pool: "team" });
	if (verb === "near") return toolCall("sessions_spawn", { task, agent: first, label: task });
	if (verb === "wait") return delegateTo(first, task);
	if (verb === "send") return toolCall("sessions_send", { sessionKey: first, message: task, timeoutSeconds: 0 });
	return text("Heard.");
};

interface MachineOptions {
	version?: PiVersion;
	child: Script;
	agents?: Record<string, string>;
	config?: object;
}

/** A requester A, and two machines for workers, each with its own home, ledger and credentials. */
export function useMachines(postgres: TestPostgres) {
	const openHome = useHome();
	return async ({ version = ANY_PI, child, agents = {}, config = {} }: MachineOptions) => {
		const url = await postgres.newDatabase();
		const model: ScriptedModel = await startModel((request) => (request.isChild ? child(request) : parent(request)));
		const env = { [POOL_VARIABLE]: url };
		const open = (more: object) => openHome({ model, pi: version, config: POOL_CONFIG, env, ...more });
		const a = await open({
			agents,
			config: { ...POOL_CONFIG, ...config },
			files: { "NOTE.txt": "an old note\n", ".gitignore": "secret.txt\n" },
		});
		const [b, c] = [await open({}), await open({})];
		commitProject(a.project);
		// Changed since the commit, and new: both travel. What is ignored does not.
		writeFileSync(join(a.project, "NOTE.txt"), "the note of A\n");
		writeFileSync(join(a.project, "NEW.txt"), "new\n");
		writeFileSync(join(a.project, "secret.txt"), "never travels");
		a.closers.add(() => model.close());
		return { url, model, a, b, c };
	};
}
