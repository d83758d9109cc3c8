import { statSync } from "node:fs";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { LedgerUnusable } from "../../ledger/identify.ts";
import { type Ledger, openLedger } from "../../ledger/ledger.ts";
import { openLedgerToLook } from "../../ledger/read-only.ts";
import { dataVersion, schemaVersion } from "../../ledger/run-marks.ts";
import { MIGRATIONS } from "../../ledger/schema.ts";
import { inWords, LedgerTrouble } from "../../ledger/trouble.ts";
import { messageOf } from "../../run/message-of.ts";
import type { LedgerState } from "../api/routes.ts";

/** SQLite blocks the process while it waits, so a look gives up soon, and the next one tries again. */
const LOOK_PATIENCE_MS = 100;
/** An action of the user may wait longer. */
const ACTION_PATIENCE_MS = 3000;
/** Between two tries to open a ledger that could not be read. */
const TRY_EVERY_MS = 1000;

/** Thrown if the ledger cannot be read now. */
export class LedgerAway extends Error {
	override name = "LedgerAway";
	readonly ledger: LedgerState;

	constructor(ledger: LedgerState) {
		super(ledger.message ?? `The ledger is ${ledger.state}.`);
		this.ledger = ledger;
	}
}

/**
 * The ledger as the page reads it: opened when needed, closed when it has a problem or was replaced, and then opened again.
 * The page never creates it: if nothing was delegated, there is none.
 */
export class PageLedger {
	readonly #file: string;
	readonly #redactor: Pick<Redactor, "redact">;
	#open: { ledger: Ledger; inode: number; version: number } | undefined;
	#opening: Promise<void> | undefined;
	#triedAt = Number.NEGATIVE_INFINITY;
	state: LedgerState = { state: "absent" };

	constructor(file: string, redactor: Pick<Redactor, "redact">) {
		this.#file = file;
		this.#redactor = redactor;
	}

	/** Throws `LedgerAway` if it cannot be read. */
	async read<Result>(work: (ledger: Ledger) => Result | Promise<Result>): Promise<Result> {
		await this.#makeOpen({ atOnce: true });
		if (!this.#open) throw new LedgerAway(this.state);
		return this.#watchingFor(work, this.#open.ledger);
	}

	/** Writes use a separate connection, which may wait. The reading connection sees what it wrote. */
	async write<Result>(work: (ledger: Ledger) => Promise<Result> | Result): Promise<Result> {
		await this.#makeOpen({ atOnce: true });
		if (!this.#open) throw new LedgerAway(this.state);
		let ledger: Ledger | undefined;
		try {
			ledger = await openLedger(this.#file, { patienceMs: ACTION_PATIENCE_MS });
			ledger.redact = (text) => this.#redactor.redact(text);
			return await work(ledger);
		} catch (error) {
			throw asAway(error, this.#file) ?? error;
		} finally {
			ledger?.close();
		}
	}

	/** A cheap look at whether anything was written since the last one, or the state of the ledger has changed. */
	async look(): Promise<boolean> {
		const before = this.state.state;
		await this.#makeOpen({ atOnce: false });
		if (!this.#open) return this.state.state !== before;
		try {
			const version = dataVersion(this.#open.ledger);
			if (version === this.#open.version) return this.state.state !== before;
			this.#open.version = version;
			// A newer pi-geon may have migrated the tables since.
			const schema = schemaVersion(this.#open.ledger);
			if (schema !== MIGRATIONS.length) this.#letGo();
			return true;
		} catch (error) {
			this.#failed(error);
			return true;
		}
	}

	close(): void {
		this.#letGo();
	}

	async #makeOpen({ atOnce }: { atOnce: boolean }): Promise<void> {
		await this.#opening;
		const inode = this.#inode();
		if (this.#open && this.#open.inode !== inode) this.#letGo();
		if (this.#open || inode === undefined) return;
		if (!atOnce && performance.now() - this.#triedAt < TRY_EVERY_MS) return;
		this.#triedAt = performance.now();
		this.#opening = this.#tryToOpen(inode).finally(() => {
			this.#opening = undefined;
		});
		await this.#opening;
	}

	async #tryToOpen(inode: number): Promise<void> {
		try {
			const ledger = await openLedgerToLook(this.#file, { patienceMs: LOOK_PATIENCE_MS });
			ledger.redact = (text) => this.#redactor.redact(text);
			this.#open = { ledger, inode, version: dataVersion(ledger) };
			this.state = { state: "ok" };
		} catch (error) {
			this.#failed(error);
		}
	}

	async #watchingFor<Result>(work: (ledger: Ledger) => Result | Promise<Result>, ledger: Ledger): Promise<Result> {
		try {
			return await work(ledger);
		} catch (error) {
			const away = asAway(error, this.#file);
			if (!away) throw error;
			this.#failed(error);
			throw away;
		}
	}

	#failed(error: unknown): void {
		const away = asAway(error, this.#file);
		if (!away) throw error;
		this.#letGo();
		const { state, message } = away.ledger;
		this.state = { state, ...(message !== undefined && { message: this.#redactor.redact(message) }) };
	}

	#letGo(): void {
		this.#open?.ledger.close();
		this.#open = undefined;
	}

	/** Undefined if there is no file. */
	#inode(): number | undefined {
		try {
			const found = statSync(this.#file, { throwIfNoEntry: false });
			if (!found) this.state = { state: "absent" };
			return found?.ino;
		} catch (error) {
			this.#failed(inWords(error, this.#file));
			return undefined;
		}
	}
}

/** The problem of the ledger; undefined for an error that is about something else. */
function asAway(error: unknown, file: string): LedgerAway | undefined {
	if (error instanceof LedgerAway) return error;
	const known = inWords(error, file);
	const message = messageOf(known);
	if (known instanceof LedgerUnusable) {
		return new LedgerAway({ state: known.kind === "foreign" ? "unusable" : known.kind, message });
	}
	if (!(known instanceof LedgerTrouble)) return undefined;
	const { kind } = known;
	return new LedgerAway({ state: kind === "locked" || kind === "damaged" ? kind : "unusable", message });
}
