import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text } from "../helpers/model-steps.ts";
import { promptPi, startRpc } from "../helpers/pi.ts";
import { type Prompted, summarize } from "../helpers/prompt-pi.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();
const shared = useSharedPi();

/** How a pi is asked: the one that the tests share, in a new session of its own, or one that is started for it. */
type Ask = (home: Home, prompt: string) => Promise<Pick<Prompted, "toolResults">>;

/** A parent that delegates what it is asked: `<agent> <session id or -> <task>`. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [agent = "", session, ...task] = lastUserText.split(" ");
	return delegateTo(agent, task.join(" "), session === "-" ? undefined : session);
};

const delegated = async (home: Home, prompt: string, ask: Ask = shared.promptPi) => {
	const [details] = delegations(await ask(home, prompt));
	if (!details) throw new Error("Nothing was delegated.");
	return details;
};

test("a conversation of three steps with one child, each in a pi of its own", async () => {
	const home = await openHome({
		script: dispatch({ parent, child: ({ lastUserText }) => finalize(`Answer to: ${lastUserText}`) }),
	});
	const first = await delegated(home, "explorer - One.", promptPi);
	const second = await delegated(home, `explorer ${first.sessionId} Two.`, promptPi);
	const third = await delegated(home, `explorer ${first.sessionId} Three.`, promptPi);

	expect(new Set([first, second, third].map((details) => details.sessionId)).size).toBe(1);
	expect(new Set([first, second, third].map((details) => details.results[0]?.sessionFile)).size).toBe(1);
	expect(new Set([first, second, third].map((details) => details.runId)).size).toBe(3);
	const said = JSON.stringify(home.model.requests.filter((request) => request.isChild)[2]?.messages);
	const places = ["One.", "Answer to: One.", "Two.", "Answer to: Two.", "Three."].map((words) => {
		expect(said.split(`"${words}`)).not.toHaveLength(1);
		return said.indexOf(words);
	});
	expect([...places].sort((a, b) => a - b)).toEqual(places);
	expect(said.split('"text":"Two."')).toHaveLength(2);
});

test("two calls on one session at once are served one after the other", async () => {
	const firstAsked = gate();
	const proceed = gate();
	const home = await shared.openHome({
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) => {
				if (lastMessage?.role === "tool") return text("Done.");
				const [, session] = lastUserText.split(" ");
				if (session === undefined) return delegateTo("explorer", "Zero.");
				return [delegateTo("explorer", "One.", session), delegateTo("explorer", "Two.", session)];
			},
			child: async ({ lastUserText }) => {
				if (lastUserText === "One.") {
					firstAsked.open();
					await proceed.opened;
				}
				return finalize(`Answer to: ${lastUserText}`);
			},
		}),
	});
	const { sessionId } = await delegated(home, "Start");
	const rpc = startRpc(home);
	const settled = rpc.promptAndSettle(`Continue ${sessionId}`);
	await firstAsked.opened;
	const told = "Queued: the session is busy with an earlier task.";
	await rpc.waitForEvent((event) => event.type === "tool_execution_update" && JSON.stringify(event).includes(told));
	proceed.open();
	await settled;
	const run = summarize(rpc.events);
	expect(
		delegations(run)
			.map((details) => details.finalized?.result)
			.sort(),
	).toEqual(["Answer to: One.", "Answer to: Two."]);
	expect(home.model.peakOf((request) => request.isChild)).toBe(1);
	const last = JSON.stringify(home.model.requests.filter((request) => request.isChild).at(-1)?.messages);
	for (const words of ["Zero.", "Answer to: One.", "Two."]) expect(last).toContain(words);
});

describe("a session can be continued after it", () => {
	test("failed", async () => {
		const home = await shared.openHome({
			script: dispatch({
				parent,
				child: ({ lastUserText }) => (lastUserText.startsWith("Fine") ? finalize("Better now.") : text("Hm.")),
			}),
		});
		const failed = await delegated(home, "explorer - Try.");
		expect(failed.error?.reason).toBe("not_finalized");
		const resumed = await delegated(home, `explorer ${failed.sessionId} Fine, again.`);
		expect(resumed).toMatchObject({ sessionId: failed.sessionId, finalized: { result: "Better now." } });
	});

	test("timed out", async () => {
		const home = await shared.openHome({
			config: { subagents: { idleTimeoutMs: 3000 } },
			script: dispatch({ parent, child: ({ lastUserText }) => (lastUserText === "Try." ? hang() : finalize("Back.")) }),
		});
		const timedOut = await delegated(home, "explorer - Try.");
		expect(timedOut.results[0]).toMatchObject({ exitCode: 124, timeoutReason: "idle" });
		expect(await delegated(home, `explorer ${timedOut.sessionId} Again.`)).toMatchObject({
			finalized: { result: "Back." },
		});
	});

	test("was stopped", async () => {
		const home = await shared.openHome({
			script: dispatch({ parent, child: ({ lastUserText }) => (lastUserText === "Try." ? hang() : finalize("Back.")) }),
		});
		const rpc = await shared.newSession(home);
		await rpc.prompt("explorer - Try.");
		await home.model.waitFor((request) => request.isChild);
		await rpc.send({ type: "abort" });
		const ended = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
		const { details } = ended.result as { details: Awaited<ReturnType<typeof delegated>> };
		expect(details).toMatchObject({ error: { reason: "stopped" }, results: [{ exitCode: 130 }] });
		expect(await delegated(home, `explorer ${details.sessionId} Again.`)).toMatchObject({
			finalized: { result: "Back." },
		});
	});
});

test("ids that do not fit are refused with the reason", async () => {
	const home = await shared.openHome({
		script: dispatch({ parent, child: [finalize("One.")] }),
	});
	const { sessionId, results } = await delegated(home, "explorer - One.");
	const refusals: [string, string, Ask?][] = [
		["explorer nonsense Two.", "malformed_session"],
		["explorer 00000000-0000-4000-8000-000000000000 Two.", "unknown_session"],
		[`reviewer ${sessionId} Two.`, "other_agent"],
		[`explorer ${sessionId} Two.`, "other_directory", (at, prompt) => promptPi(at, prompt, { cwd: home.home })],
	];
	for (const [prompt, reason, ask] of refusals) {
		expect((await delegated(home, prompt, ask)).error, prompt).toMatchObject({ code: "INVALID_INPUT", reason });
	}
	rmSync(results[0]?.sessionFile ?? "");
	const { error } = await delegated(home, `explorer ${sessionId} Two.`);
	expect(error).toMatchObject({ code: "INVALID_INPUT", reason: "missing_session" });
	expect(error?.message).toContain(sessionId);
	expect(home.model.requests.filter((request) => request.isChild)).toHaveLength(1);
});

test("the agent's current definition applies on a resume, with other tools too, and the result says so", async () => {
	const home = await shared.openHome({
		agents: { "helper.md": agentNamed("helper", "I am the old one", "tools: read") },
		script: dispatch({
			parent,
			child: ({ systemText }) => finalize(/I am the \w+ one/.exec(systemText)?.[0] ?? systemText),
		}),
	});
	const { sessionId } = await delegated(home, "helper - Who are you?");
	const file = join(home.agentDir, "agents", "helper.md");
	writeFileSync(`${file}.new`, agentNamed("helper", "I am the new one", "tools: ls, grep"));
	renameSync(`${file}.new`, file);
	const run = await shared.promptPi(home, `helper ${sessionId} And now?`);
	expect(delegations(run)[0]?.finalized).toMatchObject({ result: "I am the new one" });
	expect(run.toolResults[0]?.text).toContain("**Warning:** The definition of helper has changed");
	const tools = home.model.requests.filter((request) => request.isChild)[1]?.tools ?? [];
	expect([...tools].sort()).toEqual(["grep", "ls", "subagent_finalize"]);
});
