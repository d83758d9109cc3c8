import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import fc from "../helpers/fast-check.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import {
	cut,
	cutBeforeHeaders,
	hang,
	httpError,
	invalidToolArguments,
	type Reply,
	rawChunk,
	type Step,
	text,
	thinking,
	toolCall,
} from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { seeded } from "./bytes.ts";

const openHome = useHome();

/** One event with these choices; the rest of it is as it should be. */
const choices = (value: unknown, more: object = {}): Step =>
	rawChunk(
		JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: value, ...more }),
	);
const delta = (value: unknown, finish: unknown = null): Step =>
	choices([{ index: 0, delta: value, finish_reason: finish }]);
const call = (args: string, name: unknown = "subagent_finalize", index: unknown = 0): Step =>
	delta({
		role: "assistant",
		tool_calls: [{ index, id: "call_1", type: "function", function: { name, arguments: args } }],
	});
const done: Step = ({ wire }) => void wire.response.end("data: [DONE]\n\n");
const stop: Step = ({ wire }) => void wire.response.end();
const answerAs =
	(type: string, body: string): Step =>
	({ wire }) => {
		wire.response.writeHead(200, { "content-type": type }).end(body);
	};

interface Stream {
	name: string;
	/** What the model says whenever it is asked, or in its n-th answer from 0. */
	says: Reply | { inTurn: (turn: number) => Reply };
	/** What must come of it; otherwise any failure. */
	result?: string;
	reason?: RegExp;
	/** Who is asked, if not the explorer. */
	agent?: "impatient";
}

/** For a few turns, and then nothing of use: a child may call tools for as long as its limits let it. */
const soon = (reply: Reply): Stream["says"] => ({ inTurn: (turn) => (turn < 3 ? reply : text("Enough.")) });

const OK = JSON.stringify({ status: "SUCCESS", result: "Fine." });

const STREAMS: Stream[] = [
	{ name: "cut before the headers", says: cutBeforeHeaders(), reason: /provider/ },
	{ name: "cut in the middle", says: [text("Half"), cut()], reason: /provider/ },
	{ name: "cut in the middle of a call", says: [call(OK.slice(0, 30)), cut()], reason: /provider/ },
	{ name: "ended in the middle of a call", says: [call(OK.slice(0, 30)), stop] },
	{ name: "ended after a whole call, without a reason", says: [call(OK), stop] },
	{ name: "garbage for chunks", says: [rawChunk("{not json"), done], reason: /provider/ },
	{ name: "HTML in place of a stream", says: answerAs("text/html", "<html>Bad gateway</html>") },
	{
		name: "JSON in place of a stream",
		says: answerAs("application/json", '{"choices":[{"message":{"content":"Hi"}}]}'),
	},
	{ name: "nothing at all", says: answerAs("text/event-stream", "") },
	{ name: "binary", says: answerAs("text/event-stream", "\x00\x01\x02\xff\xfe".repeat(2000)) },
	{ name: "only comments", says: [({ wire }) => wire.raw(": hello\n\n".repeat(500)), done] },
	{ name: "only the terminator", says: done },
	{ name: "empty choices", says: [choices([]), choices([]), done] },
	{ name: "choices that are none", says: [choices(null), choices("x"), choices({}), done] },
	{ name: "a delta that is none", says: [delta(null), delta("x"), delta(5), done] },
	{
		name: "content that is none",
		says: [delta({ content: { a: 1 } }), delta({ content: 5 }), delta({}, "stop"), done],
	},
	{ name: "an unknown reason to finish", says: [text("Hm."), delta({}, "tired"), done] },
	{ name: "an error in the stream", says: [rawChunk('{"error":{"message":"overloaded","code":500}}'), done] },
	{ name: "length as the reason to finish", says: [call(OK.slice(0, 25)), delta({}, "length"), done] },
	{ name: "a content filter", says: [text("I"), delta({}, "content_filter"), done] },
	{
		name: "usage that is none",
		says: [finalize("Fine."), choices([], { usage: { prompt_tokens: "many", completion_tokens: -5 } })],
		result: "Fine.",
	},
	{
		name: "a call with broken arguments",
		says: invalidToolArguments("subagent_finalize", '{"status": "SUCC'),
		reason: /not_finalized/,
	},
	{
		name: "a call with arguments of another shape",
		says: invalidToolArguments("subagent_finalize", "[1,2,3]"),
		reason: /not_finalized/,
	},
	{ name: "a call with no arguments", says: invalidToolArguments("subagent_finalize", ""), reason: /not_finalized/ },
	{ name: "a call of nothing", says: soon([call("{}", ""), delta({}, "tool_calls"), done]) },
	{ name: "a call whose name is no text", says: soon([call("{}", { a: 1 }), delta({}, "tool_calls"), done]) },
	{
		name: "a call at a strange index",
		says: [call(OK, "subagent_finalize", -7), delta({}, "tool_calls"), done],
		result: "Fine.",
	},
	{
		name: "a call of a tool that is not there",
		says: { inTurn: (turn) => (turn < 3 ? toolCall("rm_rf", {}) : finalize("Fine.")) },
		result: "Fine.",
	},
	{
		name: "a call to delegate further",
		says: {
			inTurn: (turn) => (turn === 0 ? toolCall("subagent", { agent: "explorer", task: "x" }) : finalize("Fine.")),
		},
		result: "Fine.",
	},
	{
		name: "several calls to finalize",
		says: [finalize("First."), finalize("Second."), finalize("Third.")],
		result: "First.",
	},
	{
		name: "a status that is none",
		says: toolCall("subagent_finalize", { status: "DONE", result: "x" }),
		reason: /not_finalized/,
	},
	{
		name: "a status in lower case",
		says: toolCall("subagent_finalize", { status: "success", result: "x" }),
		reason: /not_finalized/,
	},
	{
		name: "success without a result",
		says: toolCall("subagent_finalize", { status: "SUCCESS" }),
		reason: /not_finalized/,
	},
	{
		name: "both success and error",
		says: toolCall("subagent_finalize", { status: "ERROR", error: "No.", result: "Yes." }),
		reason: /reported_error/,
	},
	{
		name: "success that is only said",
		says: text('subagent_finalize({"status":"SUCCESS","result":"Fine."})'),
		reason: /not_finalized/,
	},
	{ name: "thoughts only", says: thinking(OK), reason: /not_finalized/ },
	{ name: "silence", says: hang(), reason: /idle/, agent: "impatient" },
	{ name: "silence in the middle", says: [text("I think"), hang()], reason: /idle/, agent: "impatient" },
	...[400, 401, 403, 404, 413, 418, 422, 429, 500, 503, 529].map((status) => ({
		name: `status ${status}`,
		says: httpError(status, { body: status % 2 ? "not json" : "" }),
		reason: /provider/,
	})),
	{
		name: "a status of success with the body of an error",
		says: answerAs("application/json", '{"error":{"message":"no"}}'),
	},
	{ name: "a redirect into nowhere", says: httpError(302, { headers: { location: "http://127.0.0.1:1/" } }) },
];

/** More than anybody reads. They keep a host busy, so they are by themselves. */
const TOO_MUCH: Stream[] = [
	{ name: "an enormous delta", says: [text("x".repeat(9 * 1024 * 1024))], reason: /output_limit/ },
	{ name: "a call that never ends", says: [endlessCall()], reason: /output_limit/ },
	{ name: "thoughts that never end", says: [endlessThoughts()], reason: /output_limit/ },
];

function endlessCall(): Step {
	return async ({ wire }) => {
		await wire.toolCall("subagent_finalize", '{"status":"SUCCESS","result":"');
		const part = "y".repeat(3 * 1024 * 1024);
		const event = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: part } }] } }] };
		while (!wire.signal.aborted) await wire.raw(`data: ${JSON.stringify(event)}\n\n`);
	};
}

function endlessThoughts(): Step {
	return async ({ wire }) => {
		while (!wire.signal.aborted) await wire.thinking("z".repeat(512 * 1024));
	};
}

/** Delegates one task a stream, all at once, and answers what came of each, in order. */
async function outcomes(streams: Pick<Stream, "says" | "agent">[], version: PiVersion): Promise<SubagentDetails[]> {
	const home = await openHome({
		agents: { "impatient.md": agentNamed("impatient", "You look.", "tools: read\nidleTimeoutMs: 1500") },
		config: { subagents: { idleTimeoutMs: 60_000 }, agents: { defaults: { subagents: { maxConcurrent: 16 } } } },
		contextWindow: 100_000_000,
		script: dispatch({
			parent: ({ lastMessage }) =>
				lastMessage?.role === "tool"
					? text("Done.")
					: streams.map(({ agent = "explorer" }, index) => delegateTo(agent, `${index}`)),
			child: ({ firstUserText, turn }) => {
				const says = streams[Number(firstUserText)]?.says ?? [];
				return typeof says === "object" && "inTurn" in says ? says.inTurn(turn) : says;
			},
		}),
	});
	const run = await promptPi(home, "Go", { version, timeoutMs: 80_000 });
	expect(run.code).toBe(0);
	expect(run.finalText).toBe("Done.");
	const all = delegations(run);
	expect(all).toHaveLength(streams.length);
	return all.toSorted((a, b) => Number(a.results[0]?.task) - Number(b.results[0]?.task));
}

/** One ending that says what it is: never a success without a result, never a failure without a reason. */
function expectTruthful({ error, finalized, results }: SubagentDetails, name: string): void {
	const [result] = results;
	if (result?.exitCode === 0) {
		expect(finalized?.status, name).toBe("SUCCESS");
		expect(finalized?.result, name).toBeTruthy();
		return;
	}
	expect(error?.code, name).toMatch(/^SUBAGENT_(FAILED|TIMEOUT|OUTPUT_TRUNCATED)$/);
	expect(error?.reason, name).toMatch(/^(provider|not_finalized|reported_error|output_limit|idle)$/);
	expect(error?.message, name).not.toMatch(/undefined|\[object Object\]/);
	expect(finalized?.status, name).not.toBe("SUCCESS");
}

async function expectEach(streams: Stream[], version: PiVersion): Promise<void> {
	const ended = await outcomes(streams, version);
	for (const [index, { name, result, reason }] of streams.entries()) {
		const details = ended[index];
		if (!details) throw new Error(`${name}: no result`);
		expectTruthful(details, name);
		const told = `${name}: ${JSON.stringify(details.error)}`;
		expect(details.finalized?.status === "SUCCESS" ? details.finalized.result : undefined, told).toBe(result);
		if (reason) expect(details.error?.reason, told).toMatch(reason);
	}
}

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("however a model's answer is broken, the run ends, and says truthfully how", async () => {
		await expectEach(STREAMS, version);
	});
});

longTest("a model that does not stop writing, be it text, thoughts or a call, is stopped", async () => {
	await expectEach(TOO_MUCH, "0.87.1");
});

const PIECES: fc.Arbitrary<Step | string> = fc.oneof(
	fc.constantFrom<Step[]>(
		choices([]),
		delta({}, "stop"),
		delta({}, "tool_calls"),
		delta({}, "length"),
		delta({ content: null }),
		call(OK),
		call(OK.slice(0, 20)),
		call(OK.slice(20), undefined),
		call("{}", "ls"),
		call("{]", "ls"),
		rawChunk("null"),
		rawChunk("[DONE]"),
		done,
		stop,
	),
	fc.jsonValue({ maxDepth: 3 }).map((value) => delta(value)),
	fc.jsonValue({ maxDepth: 3 }).map((value) => rawChunk(JSON.stringify(value))),
	fc.string({ unit: "binary", maxLength: 60 }).map((said) => text(said)),
	fc.string({ unit: "binary", maxLength: 30 }).map((args) => call(args)),
);

longTest(
	"whatever a model streams, a success is what was returned, and everything else is a failure with a reason",
	async () => {
		const streams = fc.sample(fc.array(PIECES, { maxLength: 7 }), { seed: seeded(0).seed, numRuns: 80 });
		const ended = await outcomes(
			streams.map((pieces) => ({ says: soon(pieces) })),
			"0.87.1",
		);
		for (const [index, details] of ended.entries()) {
			expectTruthful(details, `stream ${index}`);
			if (details.results[0]?.exitCode === 0) expect(details.finalized?.result, `stream ${index}`).toBe("Fine.");
		}
		expect(new Set(ended.map(({ results }) => results[0]?.exitCode)).size).toBeGreaterThan(1);
	},
);
