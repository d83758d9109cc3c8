import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reportedChanges } from "../../../src/child/tree.ts";
import type { ClaimedRun, Work, WorkServices } from "../../../src/child/work.ts";
import { outcomeOf } from "../../../src/collect/outcome.ts";
import { changeFiles } from "../../../src/ledger/change-files.ts";
import { STEERING } from "../../../src/ledger/inbox.ts";
import type { Places } from "../../../src/ledger/places.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { EndCause, Outcome } from "../../../src/run/outcome.ts";
import type { Redacted } from "../../../src/run/redacted.ts";
import { TASK_MARK } from "../../../src/run/task-mark.ts";
import { TREE_BRANCH } from "../../../src/trees/git-folder.ts";
import { asItIs, NO_REDACTOR } from "../../helpers/as-it-is.ts";
import type { CallEvidence } from "./evidence.ts";
import { type Entry, stepsOf, taskOf } from "./task.ts";

export interface ScriptedWorld {
	places: Places;
	clock: Clock;
	/** Hears what the child is about to do. */
	say(call: CallEvidence): void;
}

/** Stands in for a child: does the steps of its task one after the other, from where its session file says that it is. */
export function scriptedWork({ places, say: tell, clock }: ScriptedWorld) {
	return (record: ClaimedRun, services: WorkServices): Work => {
		let cause: EndCause | undefined;
		const ended = Promise.withResolvers<void>();
		const stop = (why: EndCause) => {
			cause ??= why;
			ended.resolve();
		};
		const work = async (): Promise<{ outcome: Outcome; settled: boolean }> => {
			const task = taskOf(record.plan.task);
			const session = new Session(record);
			let turns = record.usage.turns;
			const usage = () => ({ ...record.usage, turns, output: turns });
			let done = stepsOf(session.entries, task.name).length;
			const say = (what: CallEvidence["what"], step: number) =>
				tell({ what, name: task.name, step, by: record.parentSession, at: clock.now() });
			say("begin", done);
			while (!cause && done < task.steps) {
				say("step", done + 1);
				await Promise.race([clock.sleep(task.ms), ended.promise]);
				if (cause) break;
				services.assertLeaseHeld();
				takeMessages(session, record, services);
				done++;
				turns++;
				session.append({ type: "message", message: { role: "assistant", content: `${task.name} step ${done}` } });
				services.onTurn({ usage: usage(), said: `step ${done}` as Redacted });
				services.onProgress(() => ({ displayItems: [], usage: usage(), turnCount: turns }));
			}
			const result = `did ${task.name}`;
			const outcome = outcomeOf(cause ?? { kind: "finalized", finalized: { status: "SUCCESS", result } }, {
				usage: usage(),
				displayItems: [],
				attempts: record.run.attempt,
				warnings: record.plan.warnings,
			});
			const changes = task.changes && !cause ? changesOf(record, places, task.name) : undefined;
			return { outcome: asItIs<Outcome>({ ...outcome, ...(changes && { changes }) } as never), settled: true };
		};
		return { stop, done: work() };
	};
}

/** As `src/child/steering.ts`: what the file holds is received. */
function takeMessages(session: Session, { run }: ClaimedRun, { inbox }: WorkServices): void {
	for (const { seq, body } of inbox.waiting()) {
		const isHeld = session.entries.some(({ details }) => details?.runId === run.id && details.seq === seq);
		if (!isHeld) {
			session.append({ type: "custom_message", customType: STEERING, content: body, details: { seq, runId: run.id } });
		}
		inbox.taken(seq);
	}
}

class Session {
	readonly #file: string;
	readonly entries: Entry[];

	constructor({ plan, run, sessionId }: ClaimedRun) {
		this.#file = plan.session.file;
		mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
		const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
		// A host that was killed while it wrote has left half a line.
		const whole = text.slice(0, text.lastIndexOf("\n") + 1);
		if (whole !== text) writeFileSync(this.#file, whole);
		this.entries = whole
			.split("\n")
			.filter(Boolean)
			.map((line) => JSON.parse(line) as Entry);
		if (this.entries.length === 0) this.#write({ type: "session", version: 3, id: sessionId, cwd: plan.cwd });
		if (!this.entries.some(({ customType, data }) => customType === TASK_MARK && data?.runId === run.id)) {
			this.append({ type: "custom", customType: TASK_MARK, data: { runId: run.id } });
		}
	}

	append(entry: Entry): void {
		const parent = this.entries.findLast(({ type }) => type !== "session");
		this.#write({ ...entry, id: randomUUID().slice(0, 8), parentId: parent?.id ?? null });
	}

	#write(entry: Entry): void {
		appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
		this.entries.push(entry);
	}
}

/** A commit on top of the checkout, in a bundle where a harvested tree would have left it. */
function changesOf({ plan, run }: ClaimedRun, places: Places, name: string) {
	const git = (args: string[], env: Record<string, string> = {}) =>
		execFileSync("git", args, { cwd: plan.cwd, encoding: "utf8", env: { ...process.env, ...IDENTITY, ...env } }).trim();
	const base = git(["rev-parse", "HEAD"]);
	const objects = join(git(["rev-parse", "--path-format=absolute", "--git-common-dir"]), "objects");
	const files = changeFiles(places, run.id);
	const scratch = `${files.scratch}.scripted`;
	rmSync(scratch, { recursive: true, force: true });
	mkdirSync(places.changes, { recursive: true, mode: 0o700 });
	git(["init", "--quiet", "--bare", scratch]);
	const own = { GIT_DIR: scratch, GIT_WORK_TREE: plan.cwd, GIT_INDEX_FILE: join(scratch, "index") };
	writeFileSync(join(scratch, "objects", "info", "alternates"), `${objects}\n`);
	writeFileSync(join(scratch, "new"), `${name}\n`);
	git(["read-tree", base], own);
	const blob = git(["hash-object", "-w", join(scratch, "new")], own);
	git(["update-index", "--add", "--cacheinfo", `100644,${blob},${name}.txt`], own);
	const commit = git(["commit-tree", "-p", base, "-m", name, git(["write-tree"], own)], own);
	git(["update-ref", TREE_BRANCH, commit], own);
	git(["bundle", "create", "--quiet", files.bundle, TREE_BRANCH, `^${base}`], own);
	rmSync(scratch, { recursive: true, force: true });
	const made = { commit: base, dirty: false };
	return reportedChanges(
		{
			base: made,
			commit,
			files: [{ path: `${name}.txt`, status: "A", added: 1, removed: 0 }],
			total: { files: 1, added: 1, removed: 0 },
			sha256: { patch: "", bundle: "" },
			warnings: [],
		},
		{ base: made, runId: run.id, trees: { places }, redactor: NO_REDACTOR },
	);
}

const IDENTITY = {
	GIT_AUTHOR_NAME: "t",
	GIT_AUTHOR_EMAIL: "t@localhost",
	GIT_COMMITTER_NAME: "t",
	GIT_COMMITTER_EMAIL: "t@localhost",
};
