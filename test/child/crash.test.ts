import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashOf } from "../../src/child/crash.ts";
import { LedgerTrouble } from "../../src/ledger/trouble.ts";

const file = join(tmpdir(), "session.jsonl");

const withCode = (code: string) => Object.assign(new Error("write failed"), { code });

test.each(["ENOSPC", "EDQUOT"])("a crash with %s says that the disk is full", (code) => {
	expect(crashOf(withCode(code), file)).toEqual({ kind: "crashed", message: "write failed", diskFull: true });
});

test("a full disk is also seen behind another error", () => {
	const error = new Error("The session cannot be opened.", { cause: withCode("ENOSPC") });
	expect(crashOf(error, file)).toMatchObject({ diskFull: true, message: "The session cannot be opened." });
});

test("a ledger without room is a full disk", () => {
	expect(crashOf(new LedgerTrouble("full", "The disk is full.", new Error()), file)).toMatchObject({ diskFull: true });
});

test.each([withCode("EACCES"), new Error("Something broke."), "a string"])("any other crash does not: %s", (error) => {
	expect(crashOf(error, file)).not.toHaveProperty("diskFull");
});

test("a folder that is gone says nothing about the disk", () => {
	expect(crashOf(new Error("gone"), "/no/such/folder/session.jsonl")).toEqual({ kind: "crashed", message: "gone" });
});

test.runIf(existsSync("/proc/self/status"))("a file system that reports no sizes is not full", () => {
	expect(crashOf(new Error("gone"), "/proc/self/status")).toEqual({ kind: "crashed", message: "gone" });
});
