import type { Redactor } from "../collect/redact/redactor.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type SpendingRow, spendingSince } from "../ledger/spending.ts";
import { addUsage, NO_USAGE, type Usage } from "../run/usage.ts";

/** What some runs cost together. */
export interface CostSum extends Usage {
	key: string;
	runs: number;
	failed: number;
}

/** The cost of the runs of the last days, by the day of their creation in the time zone of this process. */
export interface CostSummary {
	/** The first day, as YYYY-MM-DD. */
	since: string;
	total: CostSum;
	/** Oldest first, without gaps. */
	days: CostSum[];
	/** The following lists have the most expensive first, `MOST_SUMS` at most of each. */
	agents: CostSum[];
	models: CostSum[];
	folders: CostSum[];
}

const MOST_SUMS = 100;

export function costsOfDays(
	ledger: Ledger,
	days: number,
	{ redactor, now = Date.now() }: { redactor: Pick<Redactor, "redact">; now?: number },
): CostSummary {
	const all = lastDays(days, now);
	const since = all[0] ?? now;
	const sums = { days: new Sums(), agents: new Sums(), models: new Sums(), folders: new Sums() };
	for (const day of all) sums.days.add(dayInWords(day));
	const total = new Sums();
	for (const row of spendingSince(ledger, since)) {
		total.add("total", row);
		sums.days.add(dayInWords(row.createdAt), row);
		sums.agents.add(row.agent, row);
		sums.folders.add(row.cwd, row);
		// A run that changed its model counts for both models.
		for (const { model, usage } of row.models) sums.models.add(model, { ...row, usage });
	}
	const shown = (some: Sums) => some.dearest().map((sum) => ({ ...sum, key: redactor.redact(sum.key) }));
	return {
		since: dayInWords(since),
		total: total.get("total"),
		days: sums.days.all(),
		agents: shown(sums.agents),
		models: shown(sums.models),
		folders: shown(sums.folders),
	};
}

class Sums {
	readonly #sums = new Map<string, CostSum>();

	add(key: string, row?: Pick<SpendingRow, "usage" | "hasFailed">): void {
		const { runs, failed, ...usage } = this.get(key);
		this.#sums.set(key, {
			...addUsage(usage, row?.usage ?? NO_USAGE),
			key,
			runs: runs + (row ? 1 : 0),
			failed: failed + (row?.hasFailed ? 1 : 0),
		});
	}

	get(key: string): CostSum {
		return this.#sums.get(key) ?? { ...NO_USAGE, key, runs: 0, failed: 0 };
	}

	all(): CostSum[] {
		return [...this.#sums.values()];
	}

	dearest(): CostSum[] {
		return this.all()
			.sort((a, b) => b.cost - a.cost || b.runs - a.runs)
			.slice(0, MOST_SUMS);
	}
}

/** The midnights of the last days, oldest first. Not every day has 24 hours. */
export function lastDays(days: number, now: number): number[] {
	const today = new Date(now);
	return Array.from({ length: days }, (_, back) =>
		new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - back)).getTime(),
	);
}

function dayInWords(time: number): string {
	const at = new Date(time);
	const two = (n: number) => String(n).padStart(2, "0");
	return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
