import type { Clock } from "../ports/clock.ts";
import type { RunId } from "../run/ids.ts";

/**
 * How long pi may be at rest with an announce that it was given, but does not hold, before that counts as lost. Only once
 * it has come to rest after it was given: until all extensions have heard that it is at rest, pi holds messages back.
 */
const ARRIVE_WITHIN_MS = 5000;
/** The same if it never came to rest again: there are failures that pi tells nobody of. */
const ARRIVE_AT_ALL_WITHIN_MS = 120_000;
/** Each time that the same one is lost, it is waited for twice as long: pi keeps what it could not write in its memory. */
const LONGEST_WAIT_MS = 600_000;

/** Announces that pi was given, and that were not yet seen in the transcript. */
export class AnnouncementsInFlight {
	readonly #clock: Clock;
	/** When each was given, and when pi was last known to be busy since. */
	readonly #given = new Map<RunId, { at: number; busyAt: number }>();
	/** How often each was given, until it arrived. */
	readonly #times = new Map<RunId, number>();
	/** When pi last came to rest. */
	#restedAt = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get size(): number {
		return this.#given.size;
	}

	get ids(): RunId[] {
		return [...this.#given.keys()];
	}

	has(id: RunId): boolean {
		return this.#given.has(id);
	}

	add(id: RunId): void {
		this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
		this.#given.set(id, { at: this.#clock.elapsed(), busyAt: this.#clock.elapsed() });
	}

	/** It is where it belongs. */
	arrived(id: RunId): void {
		this.#given.delete(id);
		this.#times.delete(id);
	}

	piRested(): void {
		this.#restedAt = this.#clock.elapsed();
	}

	#patience(id: RunId): number {
		return Math.min(ARRIVE_WITHIN_MS * 2 ** ((this.#times.get(id) ?? 1) - 1), LONGEST_WAIT_MS);
	}

	/** Two prompts at the same moment can make pi drop a message. It is still owed then, and so it is sent again. */
	forgetLost({ atRest, held }: { atRest: boolean; held: ReadonlySet<unknown> }): void {
		const now = this.#clock.elapsed();
		for (const [id, given] of this.#given) {
			if (held.has(id)) continue;
			if (!atRest) given.busyAt = now;
			const rested = this.#restedAt >= given.at && now - Math.max(this.#restedAt, given.busyAt) > this.#patience(id);
			if (rested || now - given.busyAt > ARRIVE_AT_ALL_WITHIN_MS) this.#given.delete(id);
		}
	}
}
