import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test } from "vitest";
import { conversationToFork } from "../../src/pi/fork/conversation.ts";
import { copyConversation } from "../../src/pi/fork/copy.ts";
import { newSessionId } from "../../src/run/ids.ts";
import fc from "../helpers/fast-check.ts";

const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110, cost };
const user = (text: string) => ({ role: "user", content: text, timestamp: 1 }) as const;
const call = (id: string, name = "ls") => ({ type: "toolCall", id, name, arguments: {} });
const says = (content: unknown[], stopReason = "stop") =>
	({ role: "assistant", content, stopReason, usage, provider: "p", model: "m", api: "a", timestamp: 1 }) as never;
const text = (words: string) => ({ type: "text", text: words });
const answers = (toolCallId: string, more: object = {}) =>
	({
		role: "toolResult",
		toolCallId,
		toolName: "ls",
		content: [text("a.ts")],
		isError: false,
		timestamp: 1,
		...more,
	}) as never;

interface Line {
	type: string;
	id: string;
	parentId: string | null;
	message?: { role: string; content: { type: string; id?: string; text?: string }[]; [field: string]: unknown };
	[field: string]: unknown;
}

const forked = (sessionManager: SessionManager) =>
	conversationToFork({ sessionManager }, async () => ({ copyConversation }));

/** The session file that a child would begin with. */
async function copyOf(manager: SessionManager, toolCall?: string) {
	const folder = mkdtempSync(join(tmpdir(), "pi-geon-fork-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const session = { id: newSessionId(), file: "", resumed: false, fork: join(folder, "forks", "copy.jsonl") };
	const refusal = await forked(manager).copy({ session, cwd: "/child", toolCall });
	if (refusal) return { refusal, lines: [] };
	const written = readFileSync(session.fork, "utf8");
	const [header, ...lines] = written
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Line) as [Line, ...Line[]];
	return { session, header, lines, mode: statSync(session.fork).mode & 0o777, written };
}

const shapeOf = (lines: readonly Line[]) => lines.map(({ type, message }) => message?.role ?? type);
const manager = () => SessionManager.inMemory("/parent");

test("what the model saw is copied, in one line, for the user alone; what it did not see is not", async () => {
	const parent = manager();
	parent.appendModelChange("p", "m");
	parent.appendMessage({ role: "system", content: "You are the parent.", timestamp: 1 } as never);
	parent.appendMessage(user("Look."));
	parent.appendCustomEntry("other:state", { secret: "kept" });
	parent.appendMessage(
		says([{ type: "thinking", thinking: "Hm.", thinkingSignature: "s" }, text("I look."), call("1")]),
	);
	parent.appendMessage(answers("1", { details: { forTheScreen: true }, usage }));
	parent.appendCustomMessageEntry("pi-geon:announce", "Status: success", true, { route: "kept" });
	parent.appendCustomMessageEntry("other:mode", "You are in plan mode.", false);
	const bash = { role: "bashExecution", output: "x", exitCode: 0, cancelled: false, truncated: false, timestamp: 1 };
	parent.appendMessage({ ...bash, command: "make" } as never);
	parent.appendMessage({ ...bash, command: "cat key", excludeFromContext: true } as never);
	parent.appendMessage(says([text("Half a sen")], "aborted"));
	const image = { type: "image", data: "aGk=", mimeType: "image/png" };
	parent.appendMessage({ role: "user", content: [image], timestamp: 1 } as never);
	parent.appendMessage(says([text("Now."), call("2", "subagent")]));
	const { header, lines, mode, session, written = "" } = await copyOf(parent, "2");
	expect(header).toMatchObject({ type: "session", id: session?.id, cwd: "/child" });
	expect(mode).toBe(0o600);
	expect(shapeOf(lines)).toEqual([
		"user",
		"assistant",
		"toolResult",
		"custom_message",
		"bashExecution",
		"user",
		"custom_message",
	]);
	expect(lines.every(({ parentId }, index) => parentId === (lines[index - 1]?.id ?? null))).toBe(true);
	expect(lines.at(-1)).toMatchObject({ customType: "pi-geon:fork", display: true });
	expect(lines[1]?.message).toMatchObject({ usage: { totalTokens: 110, cost: { total: 0 } } });
	expect(lines[1]?.message?.content[0]).toMatchObject({ thinkingSignature: "s" });
	expect(lines[5]?.message?.content).toEqual([image]);
	for (const absent of ["kept", "forTheScreen", "plan mode", "cat key", "Half a sen", "You are the parent", "Now."]) {
		expect(written).not.toContain(absent);
	}
});

test("of a conversation that was compacted, what its model still knows", async () => {
	const parent = manager();
	parent.appendMessage(user("Forgotten."));
	const kept = parent.appendMessage(user("Kept."));
	parent.appendMessage(says([text("Yes.")]));
	parent.appendCompaction("They spoke.", kept, 1000, { readFiles: ["a.ts"], modifiedFiles: [] }, false, usage as never);
	parent.appendMessage(user("And then?"));
	const { session, lines, written = "" } = await copyOf(parent);
	expect(shapeOf(lines)).toEqual(["user", "assistant", "compaction", "user", "custom_message"]);
	expect(lines[2]).not.toHaveProperty("usage");
	expect(written).not.toContain("Forgotten.");
	const again = SessionManager.open(session?.fork ?? "", undefined, "/child").buildSessionContext().messages;
	expect(again.map(({ role }) => role)).toEqual(["compactionSummary", "user", "assistant", "user", "custom"]);
});

test("an edit of what the model sees counts as it was made", async () => {
	const parent = manager();
	const long = parent.appendMessage(user("A very long text."));
	parent.appendContextEdit(long, { content: "A text." });
	const { written } = await copyOf(parent);
	expect(written).toContain('"A text."');
	expect(written).not.toContain("very long");
});

test("calls that are still being worked on are left out where no call asks, and so is what a killed pi left open", async () => {
	const parent = manager();
	parent.appendMessage(user("Look."));
	parent.appendMessage(says([text("One."), call("1"), call("2")]));
	parent.appendMessage(answers("1"));
	parent.appendMessage(user("Are you there?"));
	parent.appendMessage(says([text("Two."), call("3"), call("4")]));
	parent.appendMessage(answers("3"));
	const { lines } = await copyOf(parent);
	expect(shapeOf(lines)).toEqual(["user", "assistant", "toolResult", "toolResult", "user", "custom_message"]);
	expect(lines[3]?.message).toMatchObject({
		toolCallId: "2",
		isError: true,
		content: [{ text: expect.stringContaining("interrupted") }],
	});
});

test("what came while the call was being worked on is not before it", async () => {
	const parent = manager();
	parent.appendMessage(user("Look."));
	parent.appendMessage(says([text("I ask."), call("1", "subagent"), call("2")]));
	parent.appendMessage(answers("2"));
	parent.appendCustomMessageEntry("pi-geon:announce", "Status: success", true);
	expect(shapeOf((await copyOf(parent, "1")).lines)).toEqual(["user", "custom_message"]);
});

test("a call of a script is before the message that runs the script", async () => {
	const parent = manager();
	parent.appendMessage(user("Look."));
	parent.appendMessage(says([call("c", "codemode")]));
	expect(shapeOf((await copyOf(parent, "c/1")).lines)).toEqual(["user", "custom_message"]);
	const empty = forked(manager());
	expect(empty.isEmpty(undefined)).toBe(true);
	expect(forked(parent).isEmpty("c/1")).toBe(false);
});

test("a conversation of more than 32 MiB is refused, with what to do", async () => {
	const parent = manager();
	parent.appendMessage(user("x".repeat(33 * 1024 * 1024)));
	const { refusal } = await copyOf(parent);
	expect(refusal?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "fork_too_large" });
	expect(refusal?.error.message).toMatch(/34 MiB.*\/compact.*"fresh"/);
});

test("whatever was said and broken off, every call has one answer right after it, and every answer its call", async () => {
	const step = fc.oneof(
		fc.constant("user" as const),
		fc.record({
			calls: fc.array(fc.nat(5), { maxLength: 3 }),
			stop: fc.constantFrom("stop", "toolUse", "error", "aborted"),
		}),
		fc.nat(5),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
			const parent = manager();
			for (const each of steps) {
				if (each === "user") parent.appendMessage(user("Go on."));
				else if (typeof each === "number") parent.appendMessage(answers(String(each)));
				else parent.appendMessage(says([text("Yes."), ...each.calls.map((id) => call(String(id)))], each.stop));
			}
			const open: string[] = [];
			const { lines } = await copyOf(parent);
			expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
			for (const { message } of lines) {
				if (message?.role === "toolResult") expect(open.shift()).toBe(message.toolCallId);
				else expect(open).toEqual([]);
				if (message?.role !== "assistant") continue;
				expect(message.stopReason).not.toMatch(/error|aborted/);
				open.push(...message.content.flatMap(({ type, id = "" }) => (type === "toolCall" ? [id] : [])));
			}
			expect(open).toEqual([]);
		}),
	);
});
