import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { messagesIn } from "../../src/operate/messages.ts";
import { useScratch } from "../agents/scratch.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import fc from "../helpers/fast-check.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { damaged, seeded } from "./bytes.ts";

const openHome = useHome();
const scratch = useScratch();

/** Delegates one task for each session id in the prompt; `new` is a session of its own. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [task = "", ...sessions] = lastUserText.split(" ");
	return sessions.map((session) => delegateTo("explorer", task, session === "new" ? undefined : session));
};
/** Looks around once, then returns. */
const child: Script = ({ lastMessage, lastUserText }) =>
	lastMessage?.role === "tool" ? finalize(`Answer to ${lastUserText}.`) : toolCall("ls", { path: "." });

/** As many child sessions as are asked for, each with a conversation in it. */
async function withSessions(count: number, version: PiVersion): Promise<{ home: Home; sessions: Session[] }> {
	const home = await openHome({ script: dispatch({ parent, child }) });
	const run = await promptPi(home, `First ${"new ".repeat(count).trim()}`, { version });
	const sessions = delegations(run).map((details) => {
		const file = details.results[0]?.sessionFile ?? "";
		return { id: details.sessionId ?? "", file, content: readFileSync(file) };
	});
	expect(sessions).toHaveLength(count);
	return { home, sessions };
}

interface Session {
	id: string;
	file: string;
	content: Buffer;
}

/** What became of each session when it was continued, by its id. */
async function resume(home: Home, sessions: Session[], version: PiVersion): Promise<Map<string, SubagentDetails>> {
	const run = await promptPi(home, `Again ${sessions.map(({ id }) => id).join(" ")}`, { version });
	expect(run.code).toBe(0);
	// A refusal before the run names no session, so results are told apart by the call.
	const calls = home.model.requests
		.findLast(({ isChild }) => !isChild)
		?.messages.findLast(({ tool_calls }) => tool_calls);
	const asked = new Map(calls?.tool_calls?.map(({ id, function: { arguments: args } }) => [id, sessionOf(args)]));
	return new Map(
		run.toolResults.map(({ toolCallId, details }) => [asked.get(toolCallId) ?? "", details as SubagentDetails]),
	);
}

const sessionOf = (args: string): string => (JSON.parse(args) as { sessionId: string }).sessionId;

interface Damage {
	name: string;
	/** What the file is made to be. */
	make(session: Session): void;
	/** Continued anyway, or refused with these words. */
	refused?: RegExp;
}

const lines = ({ content }: Session): string[] => content.toString().trimEnd().split("\n");
const rewrite = (session: Session, made: string | Buffer | string[]) =>
	writeFileSync(session.file, Array.isArray(made) ? `${made.join("\n")}\n` : made);
const header = (change: object) => (session: Session) => {
	const [first = "", ...rest] = lines(session);
	rewrite(session, [JSON.stringify({ ...(JSON.parse(first) as object), ...change }), ...rest]);
};
const appended = (line: string) => (session: Session) => rewrite(session, `${session.content}${line}\n`);
const instead = (session: Session, make: () => void) => {
	rmSync(session.file);
	make();
};

const DAMAGES: Damage[] = [
	{ name: "whole", make: () => {} },
	{ name: "half a line at the end, of a host that was killed", make: (s) => rewrite(s, `${s.content}{"type":"mess`) },
	{ name: "the last line cut off", make: (s) => rewrite(s, s.content.subarray(0, -20)) },
	{
		name: "zeros at the end, of a machine that lost power",
		make: (s) => rewrite(s, Buffer.concat([s.content, Buffer.alloc(4096)])),
	},
	{
		name: "garbage between two lines",
		make: (s) =>
			rewrite(
				s,
				lines(s).flatMap((line) => [line, "\x00\xff garbage"]),
			),
	},
	{ name: "a line of 5 MB of garbage", make: (s) => rewrite(s, `${s.content}${"x".repeat(5_000_000)}\n`) },
	{ name: "Windows line ends", make: (s) => rewrite(s, lines(s).join("\r\n")) },
	{
		name: "a line is missing",
		make: (s) => rewrite(s, lines(s).toSpliced(4, 1)),
		refused: /is damaged, the entry before \w+ is missing/,
	},
	{ name: "its lines in a circle", make: (s) => rewrite(s, circle(lines(s))), refused: /is damaged/ },
	{ name: "a number", make: appended("5"), refused: /is damaged, it has a line that is not an entry: 5/ },
	{ name: "a text", make: appended('"text"'), refused: /not an entry/ },
	{ name: "an entry without an id", make: appended('{"type":"message"}'), refused: /not an entry/ },
	{
		name: "a message without content",
		make: appended('{"type":"message","id":"ffffffff","parentId":null,"message":{"role":"assistant"}}'),
		refused: /not an entry/,
	},
	{
		name: "a message that is none",
		make: appended('{"type":"message","id":"ffffffff","parentId":null,"message":null}'),
		refused: /not an entry/,
	},
	{
		name: "binary",
		make: (s) => rewrite(s, Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7) % 256))),
		refused: /cannot be read/,
	},
	{ name: "another text", make: (s) => rewrite(s, "# Notes\n\nNot a session.\n"), refused: /cannot be read/ },
	{ name: "without its header", make: (s) => rewrite(s, lines(s).slice(1)), refused: /cannot be read/ },
	{
		name: "of another session",
		make: header({ id: "00000000-0000-4000-8000-000000000000" }),
		refused: /holds another session/,
	},
	{ name: "of a newer pi", make: header({ version: 99 }), refused: /has version 99 of pi's session format/ },
	{ name: "of no version at all", make: header({ version: "x" }), refused: /has version "x"/ },
	{
		name: "of an older pi, with a line that would be lost",
		make: (s) => {
			header({ version: 2 })(s);
			writeFileSync(s.file, "not JSON\n", { flag: "a" });
		},
		refused: /would be lost/,
	},
	{ name: "of an older pi", make: header({ version: 2 }) },
	{ name: "empty", make: (s) => rewrite(s, ""), refused: /is empty/ },
	{ name: "a folder", make: (s) => instead(s, () => mkdirSync(s.file)), refused: /is not a file/ },
	{ name: "a pipe", make: (s) => instead(s, () => execFileSync("mkfifo", [s.file])), refused: /is not a file/ },
	{
		name: "too large",
		make: (s) => rewrite(s, Buffer.concat([s.content, Buffer.alloc(65 * 1024 * 1024, 0x20)])),
		refused: /is larger than 64 MiB/,
	},
];

/** The last entry leads to itself. */
function circle(all: string[]): string[] {
	const last = JSON.parse(all.at(-1) ?? "") as { id: string; parentId: string };
	return [...all.slice(0, -1), JSON.stringify({ ...last, parentId: last.id })];
}

const isReadable = ({ name }: Damage) => name !== "a folder" && name !== "a pipe";

describe.skipIf(process.platform === "win32").each(somePi(import.meta.url))(
	"a child session that was damaged, on pi %s",
	(version) => {
		test("is continued where its conversation is whole, else refused by name, and keeps every byte it had", async () => {
			const { home, sessions } = await withSessions(DAMAGES.length, version);
			const before = new Map<string, Buffer>();
			for (const [index, session] of sessions.entries()) {
				const damage = DAMAGES[index];
				damage?.make(session);
				if (damage && isReadable(damage)) before.set(session.id, readFileSync(session.file));
			}
			const results = await resume(home, sessions, version);
			for (const [index, { id, file }] of sessions.entries()) {
				const { name, refused } = DAMAGES[index] ?? { name: "" };
				const { error, finalized, results: runs } = results.get(id) ?? { results: [] };
				if (refused) {
					expect(error?.message, name).toMatch(refused);
					expect(error, name).toMatchObject({ code: "SUBAGENT_FAILED", reason: "setup" });
					expect(error?.message, name).toContain(file.split("/").at(-1));
					expect(runs[0]?.exitCode, name).toBe(1);
				} else expect(finalized?.result, `${name}: ${error?.message}`).toBe("Answer to Again.");
				const kept = before.get(id);
				if (!kept) continue;
				const now = readFileSync(file);
				if (refused) expect(now.equals(kept), name).toBe(true);
				// pi brings an older file up to date; otherwise it only appends.
				else if (name !== "of an older pi") expect(now.subarray(0, kept.length).equals(kept), name).toBe(true);
			}
			const asked = home.model.requests.filter(({ isChild, lastUserText }) => isChild && lastUserText === "Again");
			for (const { messages } of asked) expect(JSON.stringify(messages)).toContain("First");
		});
	},
);

longTest("whatever happened to it, a child session is continued or refused, and what was in it stays", async () => {
	const sample = (count: number, session: Session) =>
		fc.sample(damaged(session.content.toString()), { seed: seeded(0).seed, numRuns: count });
	const { home, sessions } = await withSessions(30, "0.87.1");
	const before = sessions.map((session, index) => {
		const made = sample(sessions.length, session)[index] ?? Buffer.alloc(0);
		writeFileSync(session.file, made);
		return made;
	});
	const results = await resume(home, sessions, "0.87.1");
	for (const [index, { id, file }] of sessions.entries()) {
		const details = results.get(id);
		const exitCode = details?.results[0]?.exitCode;
		if (exitCode !== 0) expect(details?.error?.message, `session ${index}`).toMatch(/cannot be read|is gone/);
		else expect(details?.finalized?.result).toBe("Answer to Again.");
		const now = readFileSync(file);
		expect(now.subarray(0, before[index]?.length).equals(before[index] ?? now), `session ${index}`).toBe(true);
	}
	expect(results.size).toBe(sessions.length);
});

test("the history of a damaged session is what can be read of it", () => {
	const { path } = scratch();
	const entry = (id: string, parentId: string | null, message: object) =>
		JSON.stringify({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message });
	const whole = [
		'{"type":"session","version":3,"id":"s","cwd":"/"}',
		entry("a", null, { role: "user", content: "Task" }),
		entry("b", "a", { role: "assistant", content: [{ type: "text", text: "Hm." }], stopReason: "stop" }),
		entry("c", "b", { role: "assistant", content: [{ type: "toolCall", name: "subagent_finalize", arguments: {} }] }),
		"",
	].join("\n");
	writeFileSync(path("s.jsonl"), `${whole}null\n5\n[]\n{"type":"message","id":"x","message":null}\n`);
	expect(messagesIn(path("s.jsonl"), { includeTools: true }).map(({ text: said }) => said)).toEqual(["Task", "Hm."]);
	fc.assert(
		fc.property(damaged(whole), (content) => {
			writeFileSync(path("s.jsonl"), content);
			expect(Array.isArray(messagesIn(path("s.jsonl"), { includeTools: true }))).toBe(true);
		}),
		seeded(400),
	);
	mkdirSync(path("folder.jsonl"));
	expect(messagesIn(path("folder.jsonl"), { includeTools: true })).toEqual([]);
});
