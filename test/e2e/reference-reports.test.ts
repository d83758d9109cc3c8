import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall, usage } from "../helpers/model-steps.ts";
import { somePi, startRpc } from "../helpers/pi.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();

/** A parent that spawns what it is asked to, `spawn <JSON>`, and says that it heard. */
const spawner: Script = ({ lastUserText, lastMessage }) => {
	const [, args] = /^spawn (.*)$/.exec(lastUserText) ?? [];
	return args === undefined || lastMessage?.role === "tool"
		? text("Noted.")
		: toolCall("sessions_spawn", JSON.parse(args));
};

type Rpc = ReturnType<typeof startRpc>;
interface Announced {
	content: string;
	details: AnnounceDetails;
}

async function announceOf(rpc: Rpc, request: object): Promise<Announced> {
	const from = rpc.events.length;
	await rpc.prompt(`spawn ${JSON.stringify({ agent: "explorer", ...request })}`);
	const isAnnounce = (message: unknown) => (message as { customType?: string })?.customType === "pi-geon:announce";
	const event = await rpc.waitForEvent(({ type, message }) => type === "message_end" && isAnnounce(message), { from });
	await rpc.waitForEvent(({ type }) => type === "agent_settled", { from: rpc.events.indexOf(event) });
	return event.message as Announced;
}

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("reference 002: an announce is Status, Result, Notes and, as its last line, the statistics with all tokens", async () => {
		const home = await shared.openHome({
			pi: version,
			script: dispatch({
				parent: spawner,
				child: () => [usage({ input: 1_000, output: 200, cacheRead: 9_000 }), finalize("Three files.")],
			}),
		});
		const rpc = await shared.newSession(home);
		const { content, details } = await announceOf(rpc, {
			task: "Count.",
			label: "two\nlines",
			model: "scripted/priced",
		});
		const [status, result, open, answer, close, notes, blank, statistics, ...more] = content.split("\n");
		expect(more).toEqual([]);
		expect(status).toBe("Status: success");
		expect(result).toMatch(/^Result: Text inside the tag report-[0-9a-f]{16} /);
		expect([open, answer, close].join("")).toMatch(/^<(report-[0-9a-f]{16})>Three files\.<\/\1>$/);
		expect([notes, blank]).toEqual(["Notes: (none)", ""]);
		expect(statistics).toMatch(
			/^runtime \d+s • tokens 10\.2k \(in 10k \/ out 200\) • est \$0\.\d+ • sessionKey agent:main:subagent:\S+ • sessionId \S+ • transcript \S+\.jsonl • run [0-9a-f]{8} • agent explorer • label two lines$/,
		);
		expect(existsSync(details.transcript)).toBe(true);
		// A model without prices has no cost to tell.
		expect((await announceOf(rpc, { task: "Count again." })).content).not.toContain("est $");
	});

	longTest("reference 002: after cleanup: delete the announce names the file where the transcript is", async () => {
		const home = await shared.openHome({
			pi: version,
			script: dispatch({ parent: spawner, child: () => finalize("Done.") }),
		});
		const rpc = await shared.newSession(home);
		const { content, details } = await announceOf(rpc, { task: "Look.", cleanup: "delete" });
		expect(details.transcript).toMatch(/\.jsonl\.deleted\.\d{4}-\d\d-\d\dT[\d.-]+Z$/);
		expect(content).toContain(details.transcript.slice(details.transcript.lastIndexOf("/")));
		await eventually(() => expect(existsSync(details.transcript)).toBe(true));
	});

	longTest(
		"reference 002: ANNOUNCE_SKIP publishes nothing, and the user, not the model, hears that the run is over",
		async () => {
			const home = await openHome({ script: dispatch({ parent: spawner, child: () => finalize("ANNOUNCE_SKIP") }) });
			const rpc = startRpc(home, { version });
			await rpc.prompt(`spawn ${JSON.stringify({ agent: "explorer", task: "Watch.", label: "watch" })}`);
			const told = await rpc.waitForEvent(({ type, method }) => type === "extension_ui_request" && method === "notify");
			expect(told.message).toMatch(/^explorer "watch" [0-9a-f]{8} finished without a report \(ANNOUNCE_SKIP\)\./);
			await rpc.promptAndSettle("Anything new?");
			expect(JSON.stringify(home.model.requests.at(-1)?.messages)).not.toMatch(/Status: |finished without/);
			expect(inLedger(home, "SELECT state, delivery FROM runs")).toEqual([{ state: "ended", delivery: "skipped" }]);
			expect(rpc.events.filter(({ method }) => method === "notify")).toHaveLength(1);
			const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
			expect(readFileSync(sessionFile, "utf8").match(/"type":"usage"/g)).toHaveLength(1);
			// It knew the word.
			expect(home.model.requests.find(({ isChild }) => isChild)?.systemText).toContain("ANNOUNCE_SKIP");
		},
	);

	longTest("reference 002: pi's totals include what an announced run used, once", async () => {
		const home = await openHome({
			script: dispatch({ parent: spawner, child: () => [usage({ input: 1_000, output: 200 }), finalize("Done.")] }),
		});
		const rpc = startRpc(home, { version });
		const { details } = await announceOf(rpc, { task: "Count.", model: "scripted/priced" });
		const file = ((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;
		const entries = () =>
			readFileSync(file, "utf8")
				.split("\n")
				.filter((line) => line.includes('"type":"usage"'));
		await eventually(() => expect(entries()).toHaveLength(1));
		await announceOf(rpc, { task: "Count again.", model: "scripted/priced" });
		await eventually(() => expect(entries()).toHaveLength(2));
		const own = home.model.requests.filter(({ isChild }) => !isChild).length;
		const { data } = await rpc.send({ type: "get_session_stats" });
		expect(data).toMatchObject({ tokens: { input: 2 * 1_000 + own * 10, output: 2 * 200 + own * 5 } });
		expect((data as { cost: number }).cost).toBeCloseTo(2 * details.usage.cost, 6);
		await rpc.close();
		// Nor are they added again when the session is opened again.
		const again = startRpc(home, { version, args: ["--session", file] });
		await again.promptAndSettle("And now?");
		expect(entries()).toHaveLength(2);
	});

	test("reference 003: a result has a header of its status and session, with warnings, a rule, and then the answer", async () => {
		const home = await shared.openHome({
			pi: version,
			agents: { "picky.md": agentNamed("picky", "You are picky.", "tools: read\nmodel: none/such") },
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), delegateTo("picky", "Look."), text("Done.")],
				child: () => finalize("Three files."),
			}),
		});
		const run = await shared.promptPi(home, "Go.");
		const [plain, warned] = run.toolResults.map(({ text: said }) => said);
		const [first, second] = delegations(run);
		expect(plain).toMatch(
			new RegExp(
				`^\\*\\*Status:\\*\\* SUCCESS\\n\\*\\*Session ID:\\*\\* \`${first?.sessionId}\`\\n\\n---\\n\\n.*\\n<report-`,
			),
		);
		expect(warned).toMatch(
			new RegExp(
				`\\n\\*\\*Session ID:\\*\\* \`${second?.sessionId}\`\\n\\*\\*Warnings?:\\*\\*[^<]*none/such[^<]*\\n\\n---\\n\\n`,
			),
		);
	});

	test("reference 001: a missing, empty or non-string agent or task is INVALID_INPUT, with details", async () => {
		const calls: object[] = [
			{},
			{ agent: "explorer" },
			{ task: "Look." },
			{ agent: "", task: "Look." },
			{ agent: "explorer", task: "" },
			{ agent: 7, task: "Look." },
			{ agent: "explorer", task: ["Look."] },
			{ agent: null, task: null },
		];
		const home = await shared.openHome({
			pi: version,
			script: dispatch({
				parent: [
					calls.map((args) => toolCall("subagent", args)),
					toolCall("subagent", { agent: "explorer", task: "Look.", chain: [] }),
					text("Done."),
				],
				child: () => finalize("Nobody asked."),
			}),
		});
		const run = await shared.promptPi(home, "Go.");
		const answers = run.toolResults.slice(0, calls.length);
		expect(answers).toHaveLength(calls.length);
		for (const { details, text: said } of answers) {
			const { error, results, mode } = details as SubagentDetails;
			expect(error).toMatchObject({ code: "INVALID_INPUT", message: expect.stringMatching(/`(agent|task)` must be/) });
			expect({ results, mode }).toEqual({ results: [], mode: "single" });
			expect(said).toMatch(/non-empty string/);
		}
		// Fields that are not ours are still refused by pi, by the schema.
		expect(run.toolResults.at(-1)?.text).toMatch(/chain|additional/i);
		expect(home.model.requests.some(({ isChild }) => isChild)).toBe(false);
	});
});
