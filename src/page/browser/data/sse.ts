import { createParser } from "eventsource-parser";

/** Calls back for each event of a stream, until it ends. EventSource cannot send the token in a header. */
export async function readEvents(answer: Response, onEvent: (name: string, data: unknown) => void): Promise<void> {
	const parser = createParser({
		onEvent: ({ event = "message", data }) => onEvent(event, JSON.parse(data)),
	});
	const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
	if (!reader) return;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		parser.feed(value);
	}
}
