import type { Ledger } from "../ledger/ledger.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { lastRunId, type RunScope, runsWithLabel, runsWithPrefix, runWithNumber } from "../ledger/run-list.ts";
import { findUnreadable, HOW_TO_CLOSE, unreadableMessage } from "../ledger/unreadable.ts";
import { isRunId, type RunId } from "../run/ids.ts";
import { type Denial, isDenial } from "./denial.ts";

const NAMED_AT_MOST = 5;

/**
 * The run that a user means: by its id or the beginning of one, its number in the list (`3` or `#3`), its label, or `last`.
 * The most certain match wins: a whole id before a number, a number before a label, a label before the beginning of an id.
 * `seeAll` tells the user how to list the runs, if none of them matches.
 */
export function findRunNamed(ledger: Ledger, name: string, scope: RunScope, seeAll = ""): RunRecord | Denial {
	const wanted = name.trim();
	if (wanted === "") return noSuchRun("Name a run: its id, its number in the list, its label, or `last`.");
	const found = byId(ledger, wanted, scope) ?? byNumber(ledger, wanted, scope) ?? runByLabel(ledger, wanted, scope);
	const meant = found ?? byPrefix(ledger, wanted, scope) ?? noneNamed(wanted, seeAll);
	if (typeof meant !== "string") return meant;
	return findRun(ledger, meant) ?? noSuchRun(whyNotFound(ledger, meant));
}

/**
 * The id, or the beginning of one, of the run whose log lines a user means. A name that looks like an id counts as one: the
 * logs may still have a run that the ledger no longer has.
 */
export function findRunLogged(ledger: Ledger, name: string, scope: RunScope, seeAll = ""): string | Denial {
	const found = findRunNamed(ledger, name, scope, seeAll);
	if (!isDenial(found)) return found.run.id;
	return isIdBegun(name) ? name.trim().toLowerCase() : found;
}

/** Whether it may be a whole id or the beginning of one. */
export const isIdBegun = (name: string): boolean => /^[0-9a-f]{1,8}$/i.test(name.trim());

function byId(ledger: Ledger, wanted: string, scope: RunScope): RunId | Denial | undefined {
	if (wanted === "last") return lastRunId(ledger, scope) ?? noSuchRun("There are no runs yet.");
	const id = wanted.toLowerCase();
	return isRunId(id) ? runsWithPrefix(ledger, scope, id, 1)[0] : undefined;
}

function byNumber(ledger: Ledger, wanted: string, { parentSession }: RunScope): RunId | Denial | undefined {
	const [, hash, digits] = /^(#?)(\d{1,9})$/.exec(wanted) ?? [];
	if (digits === undefined) return undefined;
	if (parentSession === undefined) {
		return hash === "#" ? noSuchRun("Runs have numbers within their session only. Give an id or a label.") : undefined;
	}
	const id = Number(digits) > 0 ? runWithNumber(ledger, parentSession, Number(digits)) : undefined;
	return id ?? (hash === "#" ? noSuchRun(`There is no run #${digits} in this session.`) : undefined);
}

/** All runs of a session share its label. Prefers the open one, or else the latest. */
function runByLabel(ledger: Ledger, wanted: string, scope: RunScope): RunId | Denial | undefined {
	const labelled = runsWithLabel(ledger, scope, wanted);
	const [latest] = labelled;
	if (!latest) return undefined;
	const sessions = new Set(labelled.map(({ sessionId }) => sessionId));
	if (sessions.size === 1) return (labelled.findLast(({ isOpen }) => isOpen) ?? latest).id;
	return noSuchRun(
		`${sessions.size} subagents have the label "${wanted}". Give an id: ${listedIds(labelled.map(({ id }) => id))}`,
	);
}

function byPrefix(ledger: Ledger, wanted: string, scope: RunScope): RunId | Denial | undefined {
	const prefix = wanted.toLowerCase();
	const matches = isIdBegun(prefix) ? runsWithPrefix(ledger, scope, prefix, NAMED_AT_MOST + 1) : [];
	const [only, ...others] = matches;
	if (only === undefined) return undefined;
	return others.length === 0 ? only : noSuchRun(`Several runs begin with "${wanted}": ${listedIds(matches)}`);
}

const noneNamed = (wanted: string, seeAll: string): Denial =>
	noSuchRun(`No run has the id, number or label "${wanted}". ${seeAll}`.trimEnd());

function whyNotFound(ledger: Ledger, id: RunId): string {
	const found = findUnreadable(ledger, id);
	if (!found) return `Run ${id} is not in the ledger any more.`;
	const message = unreadableMessage(ledger, found);
	return found.isNewer ? message : `${message} ${HOW_TO_CLOSE}`;
}

const listedIds = (ids: RunId[]): string =>
	`${ids.slice(0, NAMED_AT_MOST).join(", ")}${ids.length > NAMED_AT_MOST ? ", …" : ""}`;

const noSuchRun = (error: string): Denial => ({ status: "error", error });
