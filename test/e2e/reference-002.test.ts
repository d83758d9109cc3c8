import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, startRpc, summarize } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();

/** Says its words in order, one a prompt, and answers everything else. */
const parentWith = (...calls: Reply[]) => {
	let next = 0;
	return ({
		lastMessage,
		lastUserText,
	}: {
		lastMessage?: { role: string } | undefined;
		lastUserText: string;
	}): Reply =>
		lastMessage?.role !== "tool" && lastUserText === "Go." ? (calls[next++] ?? text("Nothing left.")) : text("Noted.");
};

describe("reference 002 on any pi", () => {
	const version = ANY_PI;

	test("background limits: more than maxRunSeconds is cut to it, and the receipt says so", async () => {
		const home = await openHome({
			config: { subagents: { timeoutMs: 1000 }, agents: { defaults: { subagents: { maxRunSeconds: 90 } } } },
			script: dispatch({
				parent: parentWith(toolCall("sessions_spawn", { task: "A", agent: "explorer", runTimeoutSeconds: 7200 })),
				child: [finalize("Done.")],
			}),
		});
		const run = await promptPi(home, "Go.", { version });
		expect(JSON.parse(run.toolResults[0]?.text ?? "{}")).toMatchObject({
			status: "accepted",
			warning: expect.stringContaining("cut to 90, the value of agents.defaults.subagents.maxRunSeconds"),
		});
	});

	test("allowAgents: an allowance that was withdrawn holds for subagents that exist as well", async () => {
		const list = (...allowAgents: string[]) =>
			JSON.stringify({ agents: { list: [{ id: "main", subagents: { allowAgents } }, { id: "work" }] } });
		const home = await openHome({
			config: list("main", "work"),
			script: dispatch({
				parent: parentWith(
					toolCall("sessions_spawn", { task: "A", agent: "explorer", agentId: "work", label: "it" }),
					toolCall("sessions_send", { label: "it", message: "More?" }),
				),
				child: () => finalize("Done."),
			}),
		});
		const rpc = startRpc(home, { version });
		await rpc.promptAndSettle("Go.");
		writeFileSync(join(home.agentDir, "pi-geon.json"), list("main"));
		const events = await rpc.promptAndSettle("Go.");
		const sent = summarize(events).toolResults.find(({ name }) => name === "sessions_send");
		expect(JSON.parse(sent?.text ?? "{}")).toMatchObject({
			status: "forbidden",
			error: expect.stringContaining("agents.list[main].subagents.allowAgents"),
		});
	});
});
