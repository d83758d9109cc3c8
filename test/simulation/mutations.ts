import { registerHooks } from "node:module";

/** A bug that the simulator must find. The text must be in the file exactly once, so that none goes stale unnoticed. */
export interface Mutation {
	name: string;
	/** The promise that it must be found to break. */
	breaks: string;
	/** The first seed whose history shows it, as `npm run simulate -- --mutations` finds it. */
	foundAt: number;
	file: string;
	from: string;
	to: string;
}

/** How many histories may be needed for each. */
export const FOUND_WITHIN = 1000;

export const MUTATIONS: readonly Mutation[] = [
	{
		name: "a missing fence",
		breaks: "a run is ended by the one that has it",
		foundAt: 2,
		file: "src/run/run.ts",
		from: `refused("the run has finished already");
			if (run.fence !== event.fence) return refused("the run was claimed again since");`,
		to: `refused("the run has finished already");`,
	},
	{
		name: "a delivery that is settled before it is written",
		breaks: "every debt is paid once, where it is owed",
		foundAt: 52,
		file: "src/deliver/snapshot.ts",
		from: "onDisk: mayBeOnDisk ? reportedOnDisk(talk, ledger.files, scripted) : new Set(),",
		to: "onDisk: held,",
	},
	{
		name: "a lease that is not renewed",
		breaks: "nothing is repeated without a reason",
		foundAt: 112,
		file: "src/host/host-lease.ts",
		from: "if (!renewLeases(this.#ledger, this.#id, leaseUntil)) this.#onLost();",
		to: "",
	},
	{
		name: "a lost wake-up without a timer behind it",
		breaks: "nothing is left behind",
		foundAt: 1,
		file: "src/ports/loop.ts",
		from: "this.#lookIn(againInMs);",
		to: "",
	},
	{
		name: "an answer before the ending is recorded",
		breaks: "what is told is what is recorded",
		foundAt: 919,
		file: "src/supervise/supervisor.ts",
		from: "call.options.onStopRequested?.();",
		to: `call.options.onStopRequested?.();
			const early = findRunOrClose(this.#ledger, runId, 0);
			if (!early || early.run.state === "ended") continue;
			const error = { code: "SUBAGENT_FAILED", message: "Stopped.", reason: "stopped" };
			const outcome = { status: "error", error, exitCode: 130, usage: early.usage, displayItems: [], attempts: 0, warnings: [] };
			const run = { ...early.run, state: "ended", endedAt: 0, outcome, delivery: { state: "owed" } };
			this.#calls.answer(call.id, { ...early, run } as never);`,
	},
	{
		name: "two answers to one call",
		breaks: "a call has one answer",
		foundAt: 41,
		file: "src/supervise/supervisor.ts",
		from: "if (mayPass(error)) options",
		to: "if (error instanceof LedgerTrouble && error.mayPass) options",
	},
	{
		name: "silence after trouble",
		breaks: "nothing is left behind",
		foundAt: 12,
		file: "src/deliver/announcer.ts",
		from: "if (!talk.isInteractive || this.#stopped) return;",
		to: "return;",
	},
	{
		name: "an announce that only memory holds",
		breaks: "nothing is left behind",
		foundAt: 52,
		file: "src/deliver/snapshot.ts",
		from: "file !== undefined && files.exists(file) && files.hasRoom(file);",
		to: "file === undefined && files === undefined;",
	},
	{
		name: "a message that is dropped in silence",
		breaks: "a message is taken once",
		foundAt: 32,
		file: "src/ledger/inbox.ts",
		from: "if (record.plan.guest || canContinue(outcome)) return [];",
		to: "return [];",
	},
	{
		name: "a hop that is not recorded",
		breaks: "a model that was given up is not asked again",
		foundAt: 1,
		file: "src/ledger/records.ts",
		from: "run.hops ? JSON.stringify(run.hops) : null,",
		to: "null,",
	},
	{
		name: "a question that each attempt asks as a new one",
		breaks: "a question is put once",
		foundAt: 19,
		file: "src/host/questions.ts",
		from: "const earlier = last && !given.has(last.seq) ? last : undefined;",
		to: "const earlier = last && given.has(last.seq) ? last : undefined;",
	},
	{
		name: "a question that outlives its run",
		breaks: "a question ends once, and its child hears how",
		foundAt: 19,
		file: "src/ledger/progress.ts",
		from: "closeQuestionsInTransaction(ledger, id, event.at);",
		to: "",
	},
	{
		name: "an answer that is given up when it cannot be written",
		breaks: "a question is put once",
		foundAt: 471,
		file: "src/supervise/question-dialogs.ts",
		from: "const counts = endQuestion(",
		to: "this.#shown.delete(seq);\n\t\t\tconst counts = endQuestion(",
	},
	{
		name: "a dead host that is news each time it is found",
		breaks: "nobody looks without a pause",
		foundAt: 41,
		file: "src/supervise/hosts.ts",
		from: "return !isKnown;",
		to: "return true;",
	},
];

/** From now on, whoever imports that file gets it with the bug in it. */
export function mutate({ file, from, to }: Mutation): void {
	registerHooks({
		load(url, context, nextLoad) {
			const loaded = nextLoad(url, context);
			if (!url.endsWith(`/${file}`)) return loaded;
			const source = String(loaded.source);
			if (source.split(from).length !== 2) throw new Error(`The mutation does not fit ${file} any more: ${from}`);
			return { ...loaded, source: source.replace(from, () => to) };
		},
	});
}
