import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Transcript } from "../../src/pi/inspector/transcript.ts";
import type { Progress } from "../../src/processes/protocol.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";

let folder = "";
let file = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "transcript-"));
	file = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const header = `${JSON.stringify({ type: "session", id: "s", version: 3 })}\n`;
const said = (id: string, parentId: string | null, text: string): string =>
	`${JSON.stringify({ type: "message", id, parentId, message: { role: "assistant", content: [{ type: "text", text: asIs(text) }] } })}\n`;

const asIs = NO_REDACTOR.redact;
const texts = (transcript: Transcript, progress?: Progress): string[] =>
	transcript.read(progress).items.map((item) => item.text);
const saying = (text: string): Progress => ({
	displayItems: [{ type: "text", text: asIs(text) }],
	usage: NO_USAGE,
	turnCount: 1,
});

test("grows with its file, and never redacts a message twice", () => {
	const redacted: string[] = [];
	const transcript = new Transcript(file, (text) => {
		redacted.push(text);
		return asIs(text.replace("secret", "***"));
	});
	expect(texts(transcript)).toEqual([]);
	writeFileSync(file, header + said("a", null, "one secret"));
	expect(texts(transcript)).toEqual(["one ***"]);
	appendFileSync(file, said("b", "a", "two"));
	expect(texts(transcript)).toEqual(["one ***", "two"]);
	expect(redacted).toEqual(["one secret", "two"]);
});

test("waits for the rest of a line that is being written, also within a character", () => {
	const line = Buffer.from(said("a", null, "größer"));
	const half = line.indexOf(0xc3) + 1;
	writeFileSync(file, line.subarray(0, half));
	const transcript = new Transcript(file, asIs);
	expect(texts(transcript)).toEqual([]);
	appendFileSync(file, line.subarray(half));
	expect(texts(transcript)).toEqual(["größer"]);
});

test("starts again when the file is another one, or shorter", () => {
	writeFileSync(file, header + said("a", null, "old") + said("b", "a", "older"));
	const transcript = new Transcript(file, asIs);
	expect(texts(transcript)).toEqual(["old", "older"]);
	truncateSync(file, header.length + said("a", null, "old").length);
	expect(texts(transcript)).toEqual(["old"]);
	writeFileSync(`${file}.new`, header + said("c", null, "new") + said("d", "c", "newer") + said("e", "d", "newest"));
	renameSync(`${file}.new`, file);
	expect(texts(transcript)).toEqual(["new", "newer", "newest"]);
});

test("keeps its content when the file is archived", () => {
	writeFileSync(file, header + said("a", null, "still here"));
	const transcript = new Transcript(file, asIs);
	expect(texts(transcript)).toEqual(["still here"]);
	renameSync(file, `${file}.deleted`);
	expect(texts(transcript)).toEqual(["still here"]);
});

test("shows the branch that continues, not what a lost host wrote beside it, and survives garbage", () => {
	const lines = [
		header,
		said("a", null, "start"),
		said("b", "a", "lost"),
		"{broken\n",
		"null\n",
		'{"type":"message","id":7}\n',
	];
	writeFileSync(file, [...lines, said("c", "a", "went on")].join(""));
	expect(texts(new Transcript(file, asIs))).toEqual(["start", "went on"]);
});

test("adds the words that are just being said, until the file has them", () => {
	writeFileSync(file, header + said("a", null, "Done with that."));
	const transcript = new Transcript(file, asIs);
	expect(texts(transcript, saying("Now I think "))).toEqual(["Done with that.", "Now I think"]);
	appendFileSync(file, said("b", "a", "Now I think so."));
	expect(texts(transcript, saying("Now I think so."))).toEqual(["Done with that.", "Now I think so."]);
});

test("shows the end of a very long session, and says that there is more", () => {
	const long = Array.from({ length: 60 }, (_, n) =>
		said(`m${n}`, n === 0 ? null : `m${n - 1}`, `${n} ${"x".repeat(100_000)}`),
	);
	writeFileSync(file, header + long.join(""));
	const { items, isCut } = new Transcript(file, asIs).read(undefined);
	expect(isCut).toBe(true);
	expect(items.at(-1)?.text.startsWith("59 ")).toBe(true);
	expect(items.length).toBeLessThan(60);
});
