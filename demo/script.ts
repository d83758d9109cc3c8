import { posix } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ModelRequest, ToolResult, Wire } from "./offline-model.ts";

/**
 * What the offline model says. It plays both parts by simple rules, but the tools it calls are real, and every word of
 * the answer comes from what they returned.
 */
export const offlineAnswer: Answer = async (request, wire) => {
	await sleep(THINKING_MS);
	const move = request.tools.includes("subagent") ? parentMove(request) : childMove(request);
	wire.usage = { input: tokens(JSON.stringify(request.raw)), output: tokens(JSON.stringify(move)) };
	await speak(move, wire);
	await wire.end();
};

/** Without a pause, it would be too fast to read. */
const THINKING_MS = 250;

type Move = { readonly say: string } | { readonly call: string; readonly args: object };

const tokens = (text: string): number => Math.ceil(text.length / 4);

async function speak(move: Move, wire: Wire): Promise<void> {
	if ("call" in move) await wire.toolCall(move.call, JSON.stringify(move.args));
	else await wire.text(move.say);
}

function parentMove(request: ModelRequest): Move {
	const report = request.toolResults.at(-1);
	if (report) return { say: `The explorer is back. ${lastParagraph(report.text)}` };
	return {
		call: "subagent",
		args: { agent: "explorer", task: "Find the place in src where the `subagent` tool is registered. Quote it." },
	};
}

const lastParagraph = (text: string): string =>
	text
		.trim()
		.split(/\n{2,}/)
		.at(-1) ?? "";

/** Look around, search, read what was found, report. */
function childMove(request: ModelRequest): Move {
	const { toolResults } = request;
	const last = toolResults.at(-1);
	if (!last) return { call: "ls", args: { path: "." } };
	if (toolResults.length === 1) {
		return request.tools.includes("grep")
			? { call: "grep", args: { pattern: PATTERN, path: "src" } }
			: { call: "ls", args: { path: FALLBACK_FOLDER } };
	}
	switch (last.name) {
		case "grep":
			return afterSearch(last, request);
		case "ls":
			return { call: "read", args: { path: posix.join(FALLBACK_FOLDER, firstSource(last.text)) } };
		default:
			return report(request, answerFrom(request));
	}
}

const PATTERN = "registerTool";
/** Where to look by hand on a machine without ripgrep. */
const FALLBACK_FOLDER = "src/pi";

function afterSearch(search: ToolResult, request: ModelRequest): Move {
	const match = bestMatch(search.text);
	if (match) return { call: "read", args: { path: match.path } };
	if (/not available/i.test(search.text)) return { call: "ls", args: { path: FALLBACK_FOLDER } };
	return report(request, { error: `grep for ${PATTERN} found nothing in src: ${search.text}` });
}

interface Match {
	readonly path: string;
	readonly line: number;
	readonly code: string;
}

/** The match that mentions `subagent`, or else the first. */
function bestMatch(searchText: string): Match | undefined {
	const matches = searchText.split("\n").flatMap((line): Match[] => {
		const [, path, number, code] = /^(.+?):(\d+):\s*(.*)$/.exec(line) ?? [];
		return path && number && code ? [{ path: posix.join("src", path), line: Number(number), code }] : [];
	});
	const about = (match: Match) => (/subagent/i.test(match.code) ? 2 : 0) + (/subagent/i.test(match.path) ? 1 : 0);
	return matches.toSorted((a, b) => about(b) - about(a))[0];
}

const firstSource = (listing: string): string =>
	listing.split("\n").find((name) => /^index\.ts$/.test(name)) ??
	listing.split("\n").find((name) => name.endsWith(".ts")) ??
	"index.ts";

type Finding = { readonly result: string } | { readonly error: string };

function answerFrom(request: ModelRequest): Finding {
	const source = request.toolResults.at(-1)?.text ?? "";
	const path = lastReadPath(request);
	const lines = source.split("\n");
	const grep = request.toolResults.find((result) => result.name === "grep");
	const found = grep && bestMatch(grep.text);
	const at = found ? found.line - 1 : registrationIn(lines);
	const code = lines[at]?.trim();
	if (!code?.includes(PATTERN)) return { error: `${path} has no ${PATTERN}; it begins with: ${lines[0] ?? ""}` };
	return { result: `Registered in ${path}, line ${at + 1} of ${lines.length}: \`${code}\`` };
}

/** The line that registers `subagent`, or else the first that registers anything. */
function registrationIn(lines: readonly string[]): number {
	const speaking = lines.findIndex((line) => line.includes(PATTERN) && /subagent/i.test(line));
	return speaking >= 0 ? speaking : lines.findIndex((line) => line.includes(PATTERN));
}

function lastReadPath(request: ModelRequest): string {
	const calls = request.messages.flatMap((message) => message.tool_calls ?? []);
	const read = calls.findLast((call) => call.function.name === "read");
	return (JSON.parse(read?.function.arguments ?? "{}") as { path?: string }).path ?? "the file";
}

function report(request: ModelRequest, finding: Finding): Move {
	if (!request.tools.includes("subagent_finalize")) {
		return { say: "result" in finding ? finding.result : `Not found: ${finding.error}` };
	}
	const status = "result" in finding ? "SUCCESS" : "ERROR";
	return { call: "subagent_finalize", args: { status, ...finding } };
}
