import { isRecord } from "../../run/is-record.ts";

/** The keys under which providers put the sentence in their errors. */
const SENTENCES = ["message", "error", "detail", "error_description"];

/** Longer messages are not parsed: rows are drawn often. */
const LONGEST_READ = 10_000;

/** A message in which the sentence of a provider's JSON, if there is one, replaces that JSON. */
export function withoutJson(message: string): string {
	if (message.length > LONGEST_READ) return message;
	const from = message.indexOf("{");
	const to = message.lastIndexOf("}");
	if (from === -1 || to < from) return message;
	const sentence = sentenceIn(parsedError(message.slice(from, to + 1)));
	return sentence === undefined ? message : `${message.slice(0, from)}${sentence}${message.slice(to + 1)}`;
}

function parsedError(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // The braces are not JSON: the text is shown as it is.
	}
}

function sentenceIn(value: unknown, depth = 0): string | undefined {
	if (typeof value === "string") return value.trim() === "" ? undefined : value;
	if (!isRecord(value) || depth > 2) return undefined;
	for (const name of SENTENCES) {
		const sentence = sentenceIn(value[name], depth + 1);
		if (sentence !== undefined) return sentence;
	}
	return undefined;
}
