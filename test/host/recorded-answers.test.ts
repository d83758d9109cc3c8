import { expect, test } from "vitest";
import { recordedAnswer } from "../../src/host/recorded-answers.ts";
import { FINALIZE_TOOL } from "../../src/run/outcome.ts";

/** The events of a stream, each with its fields. */
async function eventsOf(api: string): Promise<Record<string, string>[]> {
	const response = recordedAnswer(api);
	expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
	const text = await response.text();
	expect(text.endsWith("\n\n")).toBe(true); // Without it, a reader waits for the rest of the last event.
	return text
		.trimEnd()
		.split("\n\n")
		.map((event) =>
			Object.fromEntries(event.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^\w+: /, "")])),
		);
}

const dataOf = (events: Record<string, string>[]) => events.map(({ data }) => JSON.parse(data ?? ""));

const FINALIZES = { status: "SUCCESS", result: expect.any(String) };

test("OpenAI's protocol is answered with a call that finalizes, and then the end of the stream", async () => {
	const events = await eventsOf("openai-completions");
	expect(events.pop()).toEqual({ data: "[DONE]" });
	const choices = dataOf(events).map((chunk) => chunk.choices[0]);
	const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
	expect(calls).toMatchObject([{ type: "function", function: { name: FINALIZE_TOOL } }]);
	expect(JSON.parse(calls[0].function.arguments)).toEqual(FINALIZES);
	expect(choices.map(({ finish_reason }) => finish_reason)).toEqual([null, null, "tool_calls"]);
});

test("Anthropic's protocol is answered with a call that finalizes, each event under its name", async () => {
	const events = await eventsOf("anthropic-messages");
	const data = dataOf(events);
	expect(events.map(({ event }) => event)).toEqual(data.map(({ type }) => type));
	expect(data.map(({ type }) => type)).toEqual([
		...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
		...["message_delta", "message_stop"],
	]);
	expect(data[1].content_block).toMatchObject({ type: "tool_use", name: FINALIZE_TOOL });
	expect(JSON.parse(data[2].delta.partial_json)).toEqual(FINALIZES);
	expect(data[4].delta.stop_reason).toBe("tool_use");
});

test("every request gets an answer of its own to read", async () => {
	const [one, other] = [recordedAnswer("openai-completions"), recordedAnswer("openai-completions")];
	expect(await one.text()).toBe(await other.text());
});

test("a protocol without a recorded answer is refused, in a way that no client tries again", async () => {
	const response = recordedAnswer("google-generative-ai");
	expect(response.status).toBe(400);
	expect(await response.json()).toEqual({ error: { message: expect.any(String) } });
});
