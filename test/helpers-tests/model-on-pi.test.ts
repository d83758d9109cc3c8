import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { conversation } from "../helpers/model-scripts.ts";
import {
	cut,
	cutBeforeHeaders,
	delay,
	drip,
	httpError,
	invalidToolArguments,
	rawChunk,
	text,
	thinking,
	toolCall,
	usage,
} from "../helpers/model-steps.ts";
import { ANY_PI, assistantMessages, type PiEvent, promptPi, runPi, somePi } from "../helpers/pi.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const shared = useSharedPi();
const ofType = (events: readonly PiEvent[], type: string) => events.filter((event) => event.type === type);

describe.each(somePi(import.meta.url))("the scripted model with pi %s", (version) => {
	test("text reaches print mode, from a prompt on stdin too", async () => {
		const home = await openHome({ extension: false, script: ({ lastUserText }) => `you said: ${lastUserText}` });
		const run = await runPi(home, ["-p"], { version, stdin: "line\u2028separator" });
		expect(run).toMatchObject({ code: 0, signal: null, outputHeld: false, stderr: "" });
		expect(run.stdout.trim()).toBe("you said: line\u2028separator");
	});

	test("a 429, then a connection cut before and one cut within the answer, each become one retry", async () => {
		const failures = [httpError(429, { headers: { "retry-after": "0" } }), cutBeforeHeaders(), [text("half"), cut()]];
		let attempt = 0;
		const home = await shared.openHome({ extension: false, pi: version, script: () => failures[attempt++] ?? "whole" });
		const run = await shared.promptPi(home, "try");
		expect(run.finalText).toBe("whole");
		expect(home.model.requests.map((request) => request.aborted)).toEqual([false, false, false, false]);
		expect(ofType(run.events, "auto_retry_start")).toHaveLength(3);
		expect(ofType(run.events, "auto_retry_end")).toMatchObject([{ success: true }]);
		expect(assistantMessages(run.events).map((message) => message.stopReason)).toEqual([
			"error",
			"error",
			"error",
			"stop",
		]);
	});

	test("an error that is not transient is final", async () => {
		const home = await shared.openHome({ extension: false, pi: version, script: conversation([]) });
		const run = await shared.promptPi(home, "say something");
		expect(home.model.requests).toHaveLength(1);
		expect(assistantMessages(run.events)[0]?.errorMessage).toContain("turn 1 was asked for: say something");
	});

	test("a reply waits for its gate, then drips", async () => {
		const held = gate();
		const home = await shared.openHome({
			extension: false,
			pi: version,
			script: async () => {
				await held.opened;
				return [drip("slowly", { everyMs: 15 }), delay(10)];
			},
		});
		const running = shared.promptPi(home, "go");
		const request = await home.model.waitFor(({ lastUserText }) => lastUserText === "go");
		expect(request.endedAt).toBeUndefined();
		held.open();
		const run = await running;
		expect(run.finalText).toBe("slowly");
		const deltas = ofType(run.events, "message_update").filter(
			(event) => (event.assistantMessageEvent as { type: string }).type === "text_delta",
		);
		expect(deltas.length).toBeGreaterThan(3);
		expect((request.endedAt ?? 0) - request.startedAt).toBeGreaterThan(6 * 14);
	});
});

describe("the scripted model with any pi", () => {
	const version = ANY_PI;

	test("tool calls of one message run, and their results come back under their names", async () => {
		const home = await openHome({
			extension: false,
			files: { "one.txt": "first", "two.txt": "second" },
			script: conversation([
				[
					thinking("which files?"),
					text("Looking."),
					toolCall("ls", { path: "." }, "call_ls"),
					toolCall("read", { path: "two.txt" }, "call_read"),
				],
				({ request }) => request.toolResults.map((result) => `${result.name}=${result.text}`).join("|"),
			]),
		});
		const run = await promptPi(home, "look", { version, args: ["--tools", "ls,read"] });
		expect(run.finalText).toBe("ls=one.txt\ntwo.txt|read=second");
		// pi runs them at the same time and reports each when it has ended.
		expect([...run.toolResults].sort((a, b) => a.name.localeCompare(b.name))).toMatchObject([
			{ name: "ls", toolCallId: "call_ls", isError: false },
			{ name: "read", toolCallId: "call_read", text: "second" },
		]);
		expect(home.model.requests.map(({ turn, tools }) => ({ turn, tools }))).toEqual([
			{ turn: 0, tools: ["ls", "read"] },
			{ turn: 1, tools: ["ls", "read"] },
		]);
		expect(home.model.requests[0]?.systemText).toContain("pi, a coding agent harness");
	});

	test("usage and prices are what the script and the home say", async () => {
		const home = await openHome({
			extension: false,
			cost: { input: 1, output: 10 },
			script: () => [usage({ input: 1_000_000, output: 100_000 }), "done"],
		});
		const run = await promptPi(home, "count", { version, args: ["--model", "scripted/priced"] });
		const [message] = assistantMessages(run.events);
		expect(message?.usage).toMatchObject({ input: 1_000_000, output: 100_000 });
		expect(message?.usage?.cost.total).toBeCloseTo(2);
	});

	test("arguments that are no JSON and chunks that are none", async () => {
		const home = await openHome({
			extension: false,
			settings: { retry: { enabled: false } },
			script: conversation([invalidToolArguments("ls", '{"path": '), [text("so far"), rawChunk('{"choices": [')]]),
		});
		const run = await promptPi(home, "break", { version, args: ["--tools", "ls"] });
		expect(run.toolResults).toMatchObject([{ name: "ls" }]);
		expect(assistantMessages(run.events).at(-1)?.stopReason).toBe("error");
	});
});
