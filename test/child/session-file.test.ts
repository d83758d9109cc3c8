import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test, vi } from "vitest";
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
