import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CURRENT_SESSION_VERSION, type ExtensionAPI, SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { type Inbox, Steering } from "../../src/child/steering.ts";
import { newRunId } from "../../src/run/ids.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const runId = newRunId();

/** The file of a child session, as a host makes it. */
function sessionFile(): string {
	const folder = scratch.folder();
	const file = join(folder, "scout_1.jsonl");
	const header = { type: "session", version: CURRENT_SESSION_VERSION, id: "1", timestamp: "2026-01-01", cwd: folder };
	writeFileSync(file, `${JSON.stringify(header)}\n`);
	return file;
}

const openSession = (file: string): SessionManager => SessionManager.open(file, join(file, ".."), join(file, ".."));

/** An inbox with these messages, and what was marked. */
function inboxOf(...bodies: string[]): Inbox & { taken: (seq: number) => void; marked: number[] } {
	const marked: number[] = [];
	const all = bodies.map((body, index) => ({ seq: index + 1, body }));
	return {
		runId,
		marked,
		waiting: () => all.filter(({ seq }) => !marked.includes(seq)),
		taken: (seq) => void marked.push(seq),
	};
}

function append(session: SessionManager, messages: ReturnType<Steering["next"]>): void {
	for (const { customType, content, display, details } of messages) {
		session.appendCustomMessageEntry(customType, content, display, details);
	}
}

test("a message is marked only once the session holds it", () => {
	const inbox = inboxOf("One.", "Two.");
	const session = openSession(sessionFile());
	const steering = new Steering(inbox, () => false);
	const given = steering.next(session);
	expect(given.map(({ content }) => content)).toEqual([
		"A message from the agent that gave you your task:\n\nOne.",
		"A message from the agent that gave you your task:\n\nTwo.",
	]);
	steering.observe(session);
	expect(inbox.marked).toEqual([]);
	append(session, given.slice(0, 1));
	steering.observe(session);
	expect(inbox.marked).toEqual([1]);
});

test("a message from the user is labelled as the user's", () => {
	const inbox = { ...inboxOf(), waiting: () => [{ seq: 1, body: "One.", sender: "user" as const }] };
	const [given] = new Steering(inbox, () => false).next(openSession(sessionFile()));
	expect(given).toMatchObject({ content: "A message from the user:\n\nOne.", details: { sender: "user" } });
});

test("a host that died between the session and the mark: its successor marks it and does not give it again", () => {
	const inbox = inboxOf("One.", "Two.");
	const file = sessionFile();
	const first = openSession(file);
	append(first, new Steering(inbox, () => false).next(first).slice(0, 1));
	const second = openSession(file);
	const given = new Steering(inbox, () => false).next(second);
	expect(inbox.marked).toEqual([1]);
	expect(given.map(({ details }) => details.seq)).toEqual([2]);
});

test("at the end of a turn messages come after what others had to say; not in a turn that failed, nor at the end", () => {
	const session = openSession(sessionFile());
	let over = false;
	const steering = new Steering(inboxOf("One."), () => over);
	let turnEnd: (event: object, ctx: object) => unknown = () => undefined;
	steering.guard({
		on: (_name: string, handler: typeof turnEnd) => {
			turnEnd = handler;
		},
	} as unknown as ExtensionAPI);
	const budget = { type: "custom_message", customType: "pi-geon:budget", content: "Nearly used up.", display: true };
	const ending = (outcome: string) => turnEnd({ entries: [budget], outcome }, { sessionManager: session });
	expect(ending("error")).toBeUndefined();
	expect(ending("completed")).toEqual({
		entries: [budget, expect.objectContaining({ type: "custom_message", details: { seq: 1, runId } })],
		continue: true,
	});
	over = true;
	expect(ending("completed")).toBeUndefined();
});
