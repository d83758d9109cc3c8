import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import type { ScriptedRequest } from "../helpers/model-request.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { type RpcClient, startRpc } from "../helpers/rpc.ts";
import { injectedTrouble } from "../helpers/trouble.ts";
import type { Story } from "./stories.ts";

export const OBSERVED = join(repositoryRoot, "test", "children", "observed.ts");

/** The model of a story: it answers the second prompt when it may, and to "Use the tool." it uses one first. */
export function modelOf({ prompt }: Story): { script: Script; answer: () => void } {
	const mayAnswer = gate();
	const script: Script = async (request) => {
		if (!isAsked(request) || request.lastMessage?.role === "tool") return text("Yes.");
		await mayAnswer.opened;
		return prompt === "Use the tool." ? toolCall("bash", { command: "until [ -e go ]; do sleep 0.02; done" }) : "Yes.";
	};
	return { script, answer: mayAnswer.open };
}

/** Whether this is about the prompt of the story. */
const isAsked = ({ lastUserText }: Pick<ScriptedRequest, "lastUserText">): boolean =>
	/^(Hello|Use the tool|Held)\.$/.test(lastUserText);

/** Lives through a story on a real pi. What is seen of it grows until pi is closed. */
export async function beginOnPi(
	home: Home,
	{ prompt, send, at, fullFrom, again }: Story,
	answer: () => void,
): Promise<{ rpc: RpcClient; observed: () => string[] }> {
	const log = join(home.scratch, "observed");
	const trouble = injectedTrouble(home, join(home.agentDir, "sessions"), "full");
	const rpc = startRpc(home, { env: { ...trouble.env, OBSERVED: log } });
	const lines = () => readFileSync(log, "utf8").trim().split("\n");
	await rpc.promptAndSettle("First.");
	const before = lines().length;
	const from = rpc.events.length;
	const reach = async (moment: Story["at"]) => {
		if (moment === fullFrom) trouble.begin();
		if (moment === at) await rpc.prompt(`/say ${send}`);
	};
	const settled = () => rpc.waitForEvent((event) => event.type === "agent_settled", { from });
	if (at === "coming to rest") writeFileSync(`${log}.at-rest`, send);
	await reach("rest");
	if (prompt) {
		rpc.child.stdin.write(`${JSON.stringify({ type: "prompt", message: prompt })}\n`);
		if (prompt === "Held.") {
			while (!existsSync(`${log}.held`)) await sleep(10);
			await reach("prompt on its way");
			// Where pi takes itself for idle, the message has a turn of its own before.
			if (lines().some((line) => line.startsWith("on its way: idle"))) await settled();
			writeFileSync(`${log}.go`, "");
		} else {
			await home.model.waitFor(isAsked);
			await reach("model");
		}
		answer();
		if (prompt === "Use the tool.") {
			await rpc.waitForEvent((event) => event.type === "tool_execution_start", { from });
			await reach("tool");
			writeFileSync(join(home.project, "go"), "");
		}
	}
	if (again) {
		await settled();
		trouble.end();
		await rpc.promptAndSettle("Again.");
	}
	return { rpc, observed: () => lines().slice(before) };
}
