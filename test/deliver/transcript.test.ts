import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test } from "vitest";
import { reportedOnDisk } from "../../src/deliver/transcript.ts";
import { diskFiles } from "../../src/ports/session-files.ts";

const header = { type: "session", version: 3, id: "a", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
const announce = (id: string) => ({
	type: "custom_message",
	id,
	parentId: null,
	timestamp: "2026-01-01T00:00:00.000Z",
	customType: "pi-geon:announce",
	content: "Status: success",
	display: true,
	details: { announceId: id, runId: id },
});

test("an announce that a dying process wrote half of does not count, though its id is in the file", () => {
	const folder = mkdtempSync(join(tmpdir(), "pg-transcript-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const file = join(folder, "session.jsonl");
	const torn = JSON.stringify(announce("0badbeef")).slice(0, -5);
	expect(torn).toContain('"announceId":"0badbeef"');
	const lines = [JSON.stringify(header), JSON.stringify(announce("600dbeef")), torn];
	writeFileSync(file, lines.join("\n"));
	const told = reportedOnDisk({ file, entries: () => [] }, diskFiles);
	expect(told.has("600dbeef")).toBe(true);
	expect(told.has("0badbeef")).toBe(false);
});

test("a line about runs that the user stopped tells of each of them", () => {
	const runs = [{ announceId: "600dbeef", runId: "600dbeef" }, { announceId: "0badbeef", runId: "0badbeef" }, null];
	const entry = { ...announce("1"), customType: "pi-geon:stopped", details: { version: 0, runs } };
	const told = reportedOnDisk({ file: undefined, entries: () => [entry as unknown as SessionEntry] }, diskFiles);
	expect([...told]).toEqual(["600dbeef", "0badbeef"]);
});
