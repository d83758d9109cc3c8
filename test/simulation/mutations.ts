import { registerHooks } from "node:module";

/** A bug that the simulator must find. The text must be in the file exactly once, so that none goes stale unnoticed. */
export interface Mutation {
	name: string;
	file: string;
	from: string;
	to: string;
}

export const MUTATIONS: readonly Mutation[] = [
	{
		name: "a missing fence",
		file: "src/run/run.ts",
		from: `if (run.state === "ended") return refused("the run has ended already");
			if (run.fence !== event.fence) return refused("the run was claimed anew since");`,
		to: `if (run.state === "ended") return refused("the run has ended already");`,
	},
	{
		name: "a delivery that is settled before it is written",
		file: "src/pi/announcer.ts",
		from: "		const onDisk = toldOnDisk(talk, ledger.files);\n		const told = ids",
		to: "		const onDisk = toldInMemory(talk);\n		const told = ids",
	},
	{
		name: "a lease that is not renewed",
		file: "src/host/host-lease.ts",
		from: "if (!renewLeases(this.#ledger, this.#id, leaseUntil)) this.#onLost();",
		to: "",
	},
	{
		name: "a lost wake-up without a timer behind it",
		file: "src/supervise/hint.ts",
		from: "const cancel = clock.after(withinMs, resolve);",
		to: "const cancel = () => {};",
	},
	{
		name: "an answer before the ending is recorded",
		file: "src/supervise/supervisor.ts",
		from: `if (record.run.state === "ended") return { ended: { ...record, run: record.run } };`,
		to: `if (record.run.state === "ended") return { ended: { ...record, run: record.run } };
			if (record.run.stop) {
				const { outcomeWithoutHost } = await import("../collect/outcome.ts");
				const outcome = outcomeWithoutHost(record, { kind: "stopped", by: record.run.stop.by });
				return { ended: { ...record, run: { ...record.run, state: "ended", endedAt: 0, outcome, delivery: { state: "owed" } } } } as never;
			}`,
	},
	{
		name: "two answers to one call",
		file: "src/supervise/supervisor.ts",
		from: "if (isFinal(error)) throw error;",
		to: "if (!(error instanceof LedgerTrouble && error.mayPass)) throw error;",
	},
	{
		name: "silence after trouble",
		file: "src/pi/announcer.ts",
		from: "if (!talk.isInteractive) return;",
		to: "return;",
	},
	{
		name: "an announce that only memory holds",
		file: "src/pi/announcer.ts",
		from: "=> file === undefined || !files.exists(file);",
		to: "=> file === undefined || files !== undefined;",
	},
	{
		name: "a message that is dropped in silence",
		file: "src/ledger/inbox.ts",
		from: "if (canGoOn(end.outcome)) return [];",
		to: "return [];",
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
