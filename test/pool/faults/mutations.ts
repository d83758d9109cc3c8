import { registerHooks } from "node:module";

/** A bug that the checker must find. Each text must be in its file exactly once, so that none goes stale unnoticed. */
export interface PoolMutation {
	name: string;
	/** The promise that it must be found to break. */
	breaks: string;
	edits: readonly { file: string; from: string; to: string }[];
}

export const POOL_MUTATIONS: readonly PoolMutation[] = [
	{
		name: "no attempt in complete",
		breaks: "an old attempt writes nothing after a newer one",
		edits: [
			{
				file: "src/pool/fenced.ts",
				from: "state = 'active' AND retry_count = $3 FOR SHARE",
				to: "state = 'active' AND $3::int >= 0 FOR SHARE",
			},
			{
				file: "src/pool/porter/postgres-queue.ts",
				from: "boss.complete(queue, job, {}, inTransaction(client))",
				to: "boss.complete(queue, job.id, {}, inTransaction(client))",
			},
			// A porter that knows that it has lost its job would say nothing.
			{
				file: "src/pool/porter/assignment.ts",
				from: "if (this.#lost.signal.aborted) return;",
				to: "if (!this.#lost.signal.aborted) return;",
			},
		],
	},
	{
		name: "cancel before the worker's outcome",
		breaks: "a stop waits for the worker's own word",
		edits: [
			{
				file: "src/pool/courier/run-away.ts",
				from: "const isLate = stop.told && this.#now - stop.at >= STOPS_WITHIN_MS;",
				to: "const isLate = true;",
			},
		],
	},
	{
		name: "a takeover without the lines",
		breaks: "a takeover continues from the last line",
		edits: [
			{
				file: "src/pool/porter/assignment.ts",
				from: "knownOf(stored)",
				to: "knownOf(this.job.retryCount > 0 ? { ...stored, lines: [] } : stored)",
			},
		],
	},
	{
		name: "two claims past the limit",
		breaks: "the lane is never wider than its limits",
		edits: [
			{
				file: "src/pool/claim-function.ts",
				from: "FROM running) < lane.total)",
				to: "FROM running) < lane.total + 2)",
			},
		],
	},
	{
		name: "a bundle applied twice",
		breaks: "changes come home once",
		edits: [{ file: "src/pool/repository/home.ts", from: "if (known) {", to: "if (known && Date.now() === 0) {" }],
	},
];

/** The variable that names the bug which a process of the suite is to have. */
export const MUTATION_VARIABLE = "POOL_FAULTS_MUTATION";

/** To be called before anything of src is imported. */
export function mutateIfAsked(): void {
	const asked = process.env[MUTATION_VARIABLE];
	if (!asked) return;
	const mutation = POOL_MUTATIONS.find(({ name }) => name === asked);
	if (!mutation) throw new Error(`There is no mutation "${asked}".`);
	registerHooks({
		load(url, context, nextLoad) {
			const loaded = nextLoad(url, context);
			const edits = mutation.edits.filter(({ file }) => url.endsWith(`/${file}`));
			if (edits.length === 0) return loaded;
			let source = String(loaded.source);
			for (const { file, from, to } of edits) {
				if (source.split(from).length !== 2) throw new Error(`The mutation does not fit ${file} any more: ${from}`);
				source = source.replace(from, () => to);
			}
			return { ...loaded, source };
		},
	});
}
