import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failedWriteOf, openSessionFile } from "../../src/child/session-file.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { newSessionId } from "../../src/run/ids.ts";

const answer = { role: "assistant", content: [{ type: "text", text: "Found." }] } as never;

test("a write that fails is remembered, since pi takes it for a failure of the model", () => {
	const cwd = mkdtempSync(join(tmpdir(), "pi-geon-session-"));
	onTestFinished(() => rmSync(cwd, { recursive: true }));
	const file = join(cwd, "session.jsonl");
	const manager = openSessionFile({ cwd, session: { id: newSessionId(), file, resumed: false } } as LaunchPlan);
	manager.appendMessage(answer);
	expect(failedWriteOf(manager)).toBeUndefined();
	rmSync(file);
	mkdirSync(file);
	expect(() => manager.appendMessage(answer)).toThrow("EISDIR");
	expect(failedWriteOf(manager)?.message).toContain("EISDIR");
});

test("a folder without permissions is not reported as a broken file", () => {
	const cwd = mkdtempSync(join(tmpdir(), "pi-geon-session-"));
	onTestFinished(() => rmSync(cwd, { recursive: true }));
	const forbidden = Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES", syscall: "open" });
	const open = vi.spyOn(SessionManager, "open").mockImplementation(() => {
		throw forbidden;
	});
	onTestFinished(() => open.mockRestore());
	const session = { id: newSessionId(), file: join(cwd, "session.jsonl"), resumed: false };
	expect(() => openSessionFile({ cwd, session } as LaunchPlan)).toThrow(forbidden);
});

describe("a session that begins with a copy of a conversation", () => {
	const setUp = (lines?: object[]) => {
		const cwd = mkdtempSync(join(tmpdir(), "pi-geon-session-"));
		onTestFinished(() => rmSync(cwd, { recursive: true }));
		const id = newSessionId();
		const session = { id, file: join(cwd, "sessions", "a.jsonl"), resumed: false, fork: join(cwd, "fork.jsonl") };
		const header = { type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd };
		if (lines) writeFileSync(session.fork, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
		return { session, open: () => openSessionFile({ cwd, session } as LaunchPlan) };
	};
	const said = {
		type: "message",
		id: "a",
		parentId: null,
		message: { role: "user", content: "The word is marzipan." },
	};

	test("takes it over once, and the next host finds what was added", () => {
		const { session, open } = setUp([said]);
		open().appendMessage(answer);
		expect(existsSync(session.fork)).toBe(false);
		expect(
			open()
				.getBranch()
				.map((entry) => entry.type === "message" && entry.message.role),
		).toEqual(["user", "assistant"]);
	});

	test("is not begun without it: the child was to know that conversation", () => {
		const { session, open } = setUp();
		expect(open).toThrow(/copy of the conversation that it was to start from is gone/);
		expect(existsSync(session.file)).toBe(false);
	});
});
