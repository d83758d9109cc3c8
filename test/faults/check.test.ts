import { expect, test } from "vitest";
import type { Outcome } from "../../src/run/outcome.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { PROMISES, violations } from "./check.ts";
import type { Entry, Evidence, RunRow } from "./evidence.ts";

/** A background run that was killed once, took a message in, and was announced; a budget; and a foreground run. */
function sound(): Evidence {
	return {
		laneLimit: 1,
		runs: [
			run({ id: "aaaaaaaa", mode: "background", attempt: 2 }),
			run({
				id: "bbbbbbbb",
				mode: "foreground",
				task: "task p0-2 turns=99 ms=5",
				maxTurns: 2,
				sessionFile: "/b.jsonl",
			}),
		],
		moves: [
			move("aaaaaaaa", "queued", "running"),
			move("aaaaaaaa", "running", "queued"),
			move("aaaaaaaa", "queued", "running"),
			move("aaaaaaaa", "running", "ended", "owed"),
			{ ...move("aaaaaaaa", "ended", "ended", "delivered"), debtWas: "owed" },
			move("bbbbbbbb", "queued", "running"),
			move("bbbbbbbb", "running", "ended", "owed"),
			{ ...move("bbbbbbbb", "ended", "ended", "delivered"), debtWas: "owed" },
		],
		messages: [{ seq: 7, runId: "aaaaaaaa", body: "task p0-3", takenAt: 5 }],
		questions: [{ seq: 3, runId: "aaaaaaaa", question: "p0-1 ask=5", state: "answered", declined: null, ends: [30] }],
		shown: [{ seq: 3, pid: 9, at: 20 }],
		attempts: [
			{ runId: "aaaaaaaa", number: 1, endedAt: 20, cause: "host_lost" },
			{ runId: "aaaaaaaa", number: 2, endedAt: 40, cause: "finalized" },
			{ runId: "bbbbbbbb", number: 1, endedAt: 50, cause: "budget" },
		],
		transcripts: [
			{
				file: "/parent.jsonl",
				whose: "parent",
				sessionId: "parent",
				entries: chain([
					{ type: "custom_message", customType: "pi-geon:announce", details: { announceId: "aaaaaaaa" } },
					{ type: "message", message: { role: "toolResult", toolName: "subagent", details: { runId: "bbbbbbbb" } } },
				]),
			},
			{
				file: "/a.jsonl",
				whose: "child",
				sessionId: "a",
				entries: chain([
					{ type: "custom", customType: "pi-geon:task", data: { runId: "aaaaaaaa" } },
					{ type: "custom_message", customType: "pi-geon:message", details: { seq: 7 } },
					toldOfQuestion({ answered: true, answer: "Answer of the user to p0-1" }),
					said("subagent_finalize", { status: "SUCCESS", result: "Answer." }),
				]),
			},
			{
				file: "/b.jsonl",
				whose: "child",
				sessionId: "b",
				entries: chain([
					{ type: "custom", customType: "pi-geon:task", data: { runId: "bbbbbbbb" } },
					said("ls", {}),
					said("ls", {}),
				]),
			},
		],
		requests: [
			{ pid: 1, task: "p0-1", startedAt: 10, endedAt: 30 },
			{ pid: 2, task: "p0-1", startedAt: 25, endedAt: 40 },
		],
		lagMs: 1,
		appends: [
			{ pid: 1, file: "/a.jsonl", entry: "0", at: 15 },
			{ pid: 2, file: "/a.jsonl", entry: "1", at: 26 },
		],
		// The first process died at 20, whenever its connection was found broken.
		faults: [{ role: "host", pid: 1, place: "usage", when: "before write", kind: "kill", at: 20 }],
		processes: [],
		damage: [],
		troubles: [],
	};
}

function run(facts: Partial<RunRow>): RunRow {
	const common = { usage: NO_USAGE, displayItems: [], attempts: facts.attempt ?? 1, warnings: [] };
	return {
		id: "aaaaaaaa",
		sessionId: facts.maxTurns === undefined ? "a" : "b",
		parentSession: "parent",
		mode: "background",
		toolCall: null,
		task: "task p0-1 turns=1 ms=5",
		sessionFile: "/a.jsonl",
		maxTurns: null,
		state: "ended",
		attempt: 1,
		maxAttempts: 2,
		hops: [],
		stopAt: null,
		createdAt: 0,
		delivery: "delivered",
		outcome: asItIs<Outcome>(
			facts.maxTurns === undefined
				? {
						...common,
						...{ status: "success", cause: "finalized", exitCode: 0, output: "" },
						finalized: { status: "SUCCESS", result: "Answer." },
					}
				: { ...common, status: "error", cause: "budget", exitCode: 1, error: failure("budget") },
		),
		...facts,
	};
}

const failure = (reason: string) => ({ code: "SUBAGENT_FAILED" as const, message: "…", reason });

const move = (id: string, was: string, now: string, debt = "none") => ({
	run: id,
	session: id === "aaaaaaaa" ? "a" : "b",
	was,
	now,
	debtWas: "none",
	debt,
	fence: 1,
	atWork: now === "running" ? 1 : 0,
	stop: null,
	pid: null,
	at: 0,
});

const chain = (entries: Partial<Entry>[]): Entry[] =>
	entries.map((entry, index) => ({
		type: "message",
		id: String(index),
		parentId: index === 0 ? null : String(index - 1),
		timestamp: "",
		...entry,
	}));

const said = (name: string, args: Record<string, unknown>): Partial<Entry> => ({
	message: { role: "assistant", stopReason: "toolUse", content: [{ type: "toolCall", name, arguments: args }] },
});

const toldOfQuestion = (end: { answered: boolean; answer?: string }): Partial<Entry> => ({
	message: { role: "toolResult", toolName: "subagent_ask", details: { runId: "aaaaaaaa", seq: 3, ...end } },
});

const askedOf = (model: string): Partial<Entry> => ({
	message: { role: "assistant", stopReason: "error", model, content: [] },
});

const RESULT_OF_B = (exitCode: number) => ({
	role: "toolResult",
	toolName: "subagent",
	details: { runId: "bbbbbbbb", results: [{ exitCode }] },
});

const ATTEMPTS = "every attempt is on record";
const HOPS = "a model that was given up is not asked again";
const HOLDER = "a run is ended by the one that has it";
const DEBT = "every debt is paid once, where it is owed";
const TRUE = "an ending says what happened";
const LANE = "the lane is never overfull";
const WRITER = "a session has one writer";
const MESSAGE = "a message is taken once";
const QUESTION = "a question ends once, and its child hears how";
const PUT = "a question is put once";

/** What is spoiled in the evidence, and the promise that must be found broken. */
const SPOILED: [name: string, promise: string, spoil: (evidence: Evidence) => void][] = [
	["a run that never ended", "every run ends once", ({ runs }) => set(runs, 0, { state: "running" })],
	[
		"a run that ended twice",
		"every run ends once",
		({ moves }) => void moves.push(move("aaaaaaaa", "running", "ended")),
	],
	[
		"a run that was revived",
		"every run ends once",
		({ moves }) => void moves.push(move("aaaaaaaa", "ended", "queued")),
	],
	["an attempt that is not on record", ATTEMPTS, ({ attempts }) => void attempts.pop()],
	["a gap between attempts", ATTEMPTS, ({ attempts }) => set(attempts, 1, { number: 3 })],
	["an attempt that outlives its run", ATTEMPTS, ({ attempts }) => set(attempts, 2, { endedAt: null, cause: null })],
	[
		"a hop that is not told",
		HOPS,
		({ runs, attempts }) => {
			set(runs, 0, { hops: [{ from: "x/a", to: "x/b", why: 429 }] });
			set(attempts, 0, { cause: "hopped" });
		},
	],
	["an attempt that ended with a hop that nobody made", HOPS, ({ attempts }) => set(attempts, 0, { cause: "hopped" })],
	[
		"a model that is asked again",
		HOPS,
		({ transcripts }) =>
			void transcripts[2]?.entries.push(...["x/a", "x/b", "x/a"].flatMap((model) => chain([askedOf(model)]))),
	],
	["an ending by a host that had lost the run", HOLDER, ({ runs }) => set(runs, 0, { attempt: 3 })],
	["a success of a run that waits", HOLDER, ({ moves }) => set(moves, 3, { was: "queued" })],
	["an announce twice", DEBT, ({ transcripts }) => again(transcripts[0]?.entries, 0)],
	["an announce besides the tool result", DEBT, ({ transcripts }) => announceToo(transcripts[0]?.entries, "bbbbbbbb")],
	["a reply besides the announce", DEBT, ({ transcripts }) => replyToo(transcripts[0]?.entries, "aaaaaaaa")],
	["no announce", DEBT, ({ transcripts }) => void transcripts[0]?.entries.shift()],
	["an announce in another session", DEBT, ({ transcripts }) => set(transcripts, 0, { sessionId: "other" })],
	["a debt still owed", DEBT, ({ runs }) => set(runs, 0, { delivery: "owed" })],
	["a debt settled twice", DEBT, ({ moves }) => void moves.push(...moves.slice(-1))],
	["a result skipped that did not ask for it", DEBT, ({ runs }) => set(runs, 0, { delivery: "skipped" })],
	[
		"a result that says another ending",
		"what is told is what is recorded",
		({ transcripts }) => set(transcripts[0]?.entries ?? [], 1, { message: RESULT_OF_B(0) }),
	],
	[
		"a run repeated though nothing befell it",
		"nothing is repeated without a reason",
		({ faults }) => void faults.splice(0),
	],
	["a receipt without a run", "what was accepted is on record", ({ runs }) => void runs.shift()],
	[
		"a success nobody finalized",
		"no success without a finalize",
		({ transcripts }) => void transcripts[1]?.entries.pop(),
	],
	["a finalize of another run", "no success without a finalize", ({ runs }) => set(runs, 0, { id: "cccccccc" })],
	["lost with attempts left", TRUE, ({ runs }) => failed(runs, 0, "lost")],
	["stopped by nobody", TRUE, ({ runs }) => failed(runs, 0, "stopped")],
	["an error out of nowhere", TRUE, ({ runs }) => failed(runs, 0, "runtime")],
	["a full disk that had room", TRUE, ({ runs }) => failed(runs, 0, "disk_full")],
	["spawn failed where no host was killed twice", TRUE, ({ runs }) => failed(runs, 0, "spawn")],
	[
		"spawn failed where hosts were only cut off, or could write nothing",
		TRUE,
		({ runs, faults }) => {
			failed(runs, 0, "spawn");
			const fault = { role: "host", pid: 1, place: "usage", when: "before write", at: 20 };
			faults.push({ ...fault, kind: "disconnect" }, { ...fault, kind: "sessions forbidden", forMs: 20 });
		},
	],
	[
		"two turns too many",
		"no budget is exceeded by more than a turn",
		({ transcripts }) => void transcripts[2]?.entries.push(...transcripts[2].entries.slice(1)),
	],
	["one claimed too many", LANE, ({ moves }) => set(moves, 0, { atWork: 2 })],
	["two at the model at once", LANE, ({ faults }) => void faults.pop()],
	["two runs in one session", WRITER, ({ moves }) => moves.splice(3, 0, { ...move("cccccccc", "queued", "running") })],
	["a writer that came back", WRITER, ({ appends }) => void appends.push({ pid: 1, file: "/a.jsonl", at: 50 })],
	["a branch in a session", WRITER, ({ transcripts }) => set(transcripts[1]?.entries, 2, { parentId: "0" })],
	["a claim after a stop", "a stop is honoured", ({ moves }) => set(moves, 2, { stop: 1 })],
	[
		"a stop that came to nothing",
		"a stop is honoured",
		({ runs }) => set(runs, 0, { stopAt: 1, task: "task p0-1 turns=99" }),
	],
	["a message never taken", MESSAGE, ({ transcripts }) => void transcripts[1]?.entries.splice(1, 1)],
	["a message taken twice", MESSAGE, ({ transcripts }) => again(transcripts[1]?.entries, 1)],
	["a question left open", QUESTION, ({ questions }) => set(questions, 0, { state: "open", ends: [] })],
	["a question that ended twice", QUESTION, ({ questions }) => set(questions, 0, { ends: [30, 31] })],
	["an answer that its child never got", QUESTION, ({ transcripts }) => void transcripts[1]?.entries.splice(2, 1)],
	["an answer that its child got twice", QUESTION, ({ transcripts }) => again(transcripts[1]?.entries, 2)],
	[
		"another answer than the user's",
		QUESTION,
		({ transcripts }) => set(transcripts[1]?.entries, 2, toldOfQuestion({ answered: true, answer: "No." })),
	],
	[
		"a question declined with a user there",
		QUESTION,
		({ questions, transcripts, faults }) => {
			faults.splice(0);
			set(questions, 0, { state: "declined", declined: "nobody" });
			set(transcripts[1]?.entries, 2, toldOfQuestion({ answered: false }));
		},
	],
	["a question of a run that is not there", QUESTION, ({ questions }) => set(questions, 0, { runId: "cccccccc" })],
	[
		"the same question in two rows",
		PUT,
		({ questions }) => void questions.push({ ...questions[0], seq: 4 } as Evidence["questions"][number]),
	],
	["a question shown twice", PUT, ({ shown }) => void shown?.push({ seq: 3, pid: 9, at: 25 })],
	["a question shown when it had ended", PUT, ({ shown }) => set(shown, 0, { at: 31 })],
	["a process left", "nothing is left behind", ({ troubles }) => void troubles.push("process 1")],
	["a damaged ledger", "the ledger is intact", ({ damage }) => void damage.push("row 1 missing")],
];

function set<Item>(items: Item[] | undefined, index: number, change: Partial<Item>): void {
	const item = items?.[index];
	if (!items || !item) throw new Error("Nothing to spoil there.");
	items[index] = { ...item, ...change };
}

function again(entries: Entry[] | undefined, index: number): void {
	const entry = entries?.[index];
	if (!entries || !entry) throw new Error("Nothing to repeat there.");
	entries.push({ ...entry, id: "again", parentId: entries.at(-1)?.id ?? null });
}

function replyToo(entries: Entry[] | undefined, id: string): void {
	again(entries, 1);
	set(entries, (entries?.length ?? 0) - 1, {
		message: { role: "toolResult", toolName: "sessions_send", details: { runId: id, status: "ok" } },
	});
}

function announceToo(entries: Entry[] | undefined, id: string): void {
	again(entries, 0);
	set(entries, (entries?.length ?? 0) - 1, { details: { announceId: id } });
}

function failed(runs: RunRow[], index: number, reason: string): void {
	const before = runs[index]?.outcome;
	if (!before) throw new Error("Nothing to fail there.");
	const { usage, displayItems, attempts, warnings } = before;
	const facts = { usage, displayItems, attempts, warnings };
	const error = failure(reason);
	const outcome = asItIs<Outcome>({ ...facts, status: "error", cause: "crashed", exitCode: 1, error });
	set(runs, index, { attempt: 1, outcome });
}

test("a process that has claimed a run of the session again may write into it again, and no sooner", () => {
	const returning = (claimedAt: number) => {
		const evidence = sound();
		evidence.appends.push({ pid: 1, file: "/a.jsonl", entry: "2", at: 50 });
		evidence.moves.push({ ...move("aaaaaaaa", "queued", "running"), pid: 1, at: claimedAt });
		return violations(evidence).filter(({ promise }) => promise === WRITER);
	};
	expect(returning(40)).toEqual([]);
	expect(returning(20)).toHaveLength(1);
	expect(returning(60)).toHaveLength(1);
});

test("one run that answers two messages has told once", () => {
	const evidence = sound();
	const entries = evidence.transcripts[0]?.entries;
	replyToo(entries, "aaaaaaaa");
	replyToo(entries, "aaaaaaaa");
	entries?.splice(0, 1);
	set(entries ?? [], 0, { parentId: null });
	expect(violations(evidence).filter(({ promise }) => promise === DEBT)).toEqual([]);
});

test("sound evidence contradicts no promise", () => {
	expect(violations(sound())).toEqual([]);
});

test.each(SPOILED)("%s is found: %s", (_name, promise, spoil) => {
	const evidence = sound();
	spoil(evidence);
	expect(violations(evidence).map((violation) => violation.promise)).toContain(promise);
});

test("every promise is spoiled here at least once", () => {
	expect(new Set(SPOILED.map(([, promise]) => promise))).toEqual(new Set(Object.keys(PROMISES)));
});
