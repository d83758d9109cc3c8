import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { findRun } from "../../src/ledger/records.ts";
import { APPLICATION_ID } from "../../src/ledger/schema.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import fc from "../helpers/fast-check.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { seeded } from "./bytes.ts";

const scratch = useScratch();

/** A ledger with a past: some runs, all of it in the main file. */
async function pastLedger(): Promise<Buffer> {
	const file = join(scratch.folder(), "ledger.sqlite");
	const ledger = await openLedger(file);
	for (let index = 0; index < 60; index++) admitRun(ledger, admission({ task: `task ${index} `.repeat(50) }));
	ledger.close();
	return readFileSync(file);
}

/** All files of a folder, sub-folders too. */
const filesBelow = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());

/** Whether a file of the folder still holds these bytes: where they were, or set aside under another name. */
const isKept = (folder: string, bytes: Buffer): boolean =>
	filesBelow(folder).some((file) => contentOf(file)?.equals(bytes));

/** A host that is just leaving removes files of SQLite's. */
function contentOf(file: string): Buffer | undefined {
	try {
		return readFileSync(file);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

type Used = { message: string } | "worked";

/** Opens and uses a ledger, as a parent would. What goes wrong is told. */
async function use(file: string): Promise<Used> {
	try {
		const ledger = await openLedger(file);
		try {
			const { run } = admitRun(ledger, admission());
			expect(findRun(ledger, run.id)?.run.state).toBe("queued");
			return "worked";
		} finally {
			ledger.close();
		}
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return { message: error.message };
	}
}

const foreign = () => {
	const file = join(scratch.folder(), "other.sqlite");
	const database = new DatabaseSync(file);
	database.exec("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('precious')");
	database.close();
	return readFileSync(file);
};

const newer = () => {
	const file = join(scratch.folder(), "newer.sqlite");
	const database = new DatabaseSync(file);
	database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 99; CREATE TABLE runs (later TEXT)`);
	database.close();
	return readFileSync(file);
};

/** Every page but the first, where a database says what it is. */
function withPagesZeroed(bytes: Buffer): Buffer {
	const broken = Buffer.from(bytes);
	broken.fill(0, 4096);
	return broken;
}

describe("a ledger that is not one", () => {
	test.each<[string, (whole: Buffer) => Buffer]>([
		["a text", () => Buffer.from("Notes to myself.\n".repeat(500))],
		["a few bytes", () => Buffer.from("oops")],
		["NUL bytes", () => Buffer.alloc(40_000)],
		["a database of another program", foreign],
		["a ledger of a newer version", newer],
		["cut off in its first page", (whole) => whole.subarray(0, 2000)],
		["its first page overwritten", (whole) => Buffer.concat([Buffer.alloc(4096, 0x41), whole.subarray(4096)])],
	])("%s: its bytes stay in the folder, and whoever opens it goes on or hears why not", async (_name, make) => {
		const folder = scratch.folder();
		const file = join(folder, "ledger.sqlite");
		const bytes = make(await pastLedger());
		writeFileSync(file, bytes);
		const used = await use(file);
		if (used !== "worked") expect(used.message).toContain(file);
		expect(isKept(folder, bytes)).toBe(true);
	});

	test("all pages after the first zeroed, or cut off: no caller gets a success", async () => {
		const whole = await pastLedger();
		for (const bytes of [withPagesZeroed(whole), whole.subarray(0, 8192), whole.subarray(0, 4096)]) {
			const folder = scratch.folder();
			const file = join(folder, "ledger.sqlite");
			writeFileSync(file, bytes);
			const used = await use(file);
			if (used === "worked") expect(isKept(folder, bytes)).toBe(true);
			else expect(used.message).toMatch(/malformed|not a database|cannot be read|damaged|corrupt/);
			expect(filesBelow(folder).some((path) => readFileSync(path).length >= bytes.length)).toBe(true);
		}
	});

	test("a folder in its place is named", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		mkdirSync(file);
		const used = await use(file);
		expect(used).not.toBe("worked");
		if (used !== "worked") expect(used.message).toContain(file);
	});
});

test("wherever it is damaged, using it ends: with a run on record, or with a reason; and the rest of it stays", async () => {
	const whole = await pastLedger();
	const folder = scratch.folder();
	const damage = fc.record({
		at: fc.nat(whole.length - 1),
		bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
		cut: fc.boolean(),
	});
	let index = 0;
	await fc.assert(
		fc.asyncProperty(damage, async ({ at, bytes, cut }) => {
			const here = join(folder, `${index++}`);
			mkdirSync(here);
			const file = join(here, "ledger.sqlite");
			const broken = Buffer.from(whole);
			broken.set(bytes.subarray(0, whole.length - at), at);
			const content = cut ? broken.subarray(0, at) : broken;
			writeFileSync(file, content);
			const used = await use(file);
			if (used !== "worked") expect(used.message.length).toBeGreaterThan(10);
			// Nothing shrinks or goes away: as large as it was, here or set aside.
			expect(existsSync(file) || filesBelow(here).length > 0).toBe(true);
			expect(Math.max(...filesBelow(here).map((path) => statSync(path).size))).toBeGreaterThanOrEqual(content.length);
		}),
		seeded(60),
	);
});

const openHome = useHome();

test("on a pi with a damaged ledger, a delegation ends with an answer or a reason, and pi continues", async () => {
	const home = await openHome({
		script: dispatch({
			parent: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : delegateTo("explorer", "Look.")),
			child: [finalize("Seen.")],
		}),
	});
	const folder = join(home.agentDir, "pi-geon");
	const file = join(folder, "ledger.sqlite");
	const bytes = Buffer.from("This was a ledger once.\n".repeat(300));
	mkdirSync(folder, { recursive: true });
	writeFileSync(file, bytes);
	const run = await promptPi(home, "Go");
	const [details] = delegations(run);
	expect(run.code).toBe(0);
	expect(run.finalText).toBe("Done.");
	expect(isKept(folder, bytes)).toBe(true);
	if (details?.error) expect(details.error.message).toContain("ledger.sqlite");
	else expect(details?.finalized?.result).toBe("Seen.");
});
