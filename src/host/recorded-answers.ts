import { FINALIZE_TOOL } from "../run/outcome.ts";

/** The answer of a model that finalizes at once; a refusal for protocols without a recorded answer. */
export function recordedAnswer(api: string): Response {
	const chunks = Object.hasOwn(STREAMS, api) ? STREAMS[api] : undefined;
	if (!chunks) return Response.json({ error: { message: "This was not a request." } }, { status: 400 });
	return new Response(chunks.map((chunk) => `${chunk}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream" },
	});
}

const CALL = JSON.stringify({ status: "SUCCESS", result: "Nothing." });

const openAiChunk = (delta: object, finish_reason: string | null): string =>
	`data: ${JSON.stringify({ id: "0", object: "chat.completion.chunk", created: 0, model: "none", choices: [{ index: 0, delta, finish_reason }] })}`;

const anthropicEvent = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}`;

const STREAMS: Readonly<Record<string, readonly string[]>> = {
	"openai-completions": [
		openAiChunk({ role: "assistant", content: "" }, null),
		openAiChunk(
			{
				tool_calls: [{ index: 0, id: "call_0", type: "function", function: { name: FINALIZE_TOOL, arguments: CALL } }],
			},
			null,
		),
		openAiChunk({}, "tool_calls"),
		"data: [DONE]",
	],
	"anthropic-messages": [
		{
			type: "message_start",
			message: {
				id: "0",
				type: "message",
				role: "assistant",
				model: "none",
				content: [],
				usage: { input_tokens: 1, output_tokens: 1 },
			},
		},
		{
			type: "content_block_start",
			index: 0,
			content_block: { type: "tool_use", id: "call_0", name: FINALIZE_TOOL, input: {} },
		},
		{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: CALL } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 1 } },
		{ type: "message_stop" },
	].map(anthropicEvent),
};
