import type { Ledger } from "./ledger.ts";
import type { SqlValue } from "./sqlite.ts";

/** How long a claim holds after its last renewal. */
export const CLAIM_MS = 15_000;

/** A process that claims rows, so that no other one with the same session open does the same. */
export interface Claimer {
	name: string;
	at: number;
	forMs: number;
	/** Whether another claimer, whose claim holds until `until`, may still be alive; a dead one is not waited for. */
	isAlive?: (name: string, until: number) => boolean;
}

/** The statements by which rows of one kind are claimed. */
export interface Claimable {
	/** Selects `name` and `until` of the claim on a claimable row. */
	held: string;
	/** Sets both. */
	take: string;
}

/** Claims rows for a while. Returns those that the claimer holds now. */
export function claimRows<Id extends SqlValue>(
	ledger: Ledger,
	rows: Claimable,
	ids: readonly Id[],
	{ name, at, forMs, isAlive = () => true }: Claimer,
): Set<Id> {
	if (ids.length === 0) return new Set();
	const take = (id: Id): boolean => {
		const held = ledger.get<{ name: string | null; until: number | null }>(rows.held, id);
		if (!held) return false;
		const until = held.until ?? 0;
		const other = held.name === name || until <= at ? null : held.name;
		if (other !== null && isAlive(other, until)) return false;
		ledger.run(rows.take, name, at + forMs, id);
		return true;
	};
	return ledger.transaction("normal", () => new Set(ids.filter(take)));
}
