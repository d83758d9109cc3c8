import { promiseHooks } from "node:v8";
import type { Random } from "../faults/random.ts";

/** Whoever an event belongs to: it does not happen to the dead, and waits for the suspended. */
export interface Owner {
	readonly isAlive: boolean;
	/** Until when it is suspended, in virtual milliseconds. */
	readonly suspendedUntil: number;
}

interface Event {
	at: number;
	/** Among events of the same moment: drawn, so that every order has its seeds. */
	rank: number;
	owner: Owner;
	call: () => void;
	isCancelled: boolean;
}

const MOST_EVENTS = 200_000;

/** Node's own way to do so between two callbacks. To go through its event loop instead takes most of a short event's time. */
const runMicrotasks = (): void => (process as unknown as { _tickCallback(): void })._tickCallback();

/**
 * How often a promise has settled or was waited for, in this thread. What follows from it runs after the event, and would run
 * in the middle of one that is interrupted.
 */
let promisesUsed = 0;
promiseHooks.createHook({
	init: (_promise, parent: Promise<unknown> | undefined) => {
		if (parent) promisesUsed++;
	},
	settled: () => {
		promisesUsed++;
	},
});

/** 2026-01-01, so that times in a history can be read. */
const EPOCH = Date.UTC(2026, 0, 1);

/** Virtual time: nothing waits, and what happens next follows from the seed alone. */
export class Scheduler {
	readonly #random: Random;
	readonly #heap: Event[] = [];
	/** Virtual milliseconds since the history began. */
	elapsed = 0;
	/** How far the wall clock has jumped. */
	skew = 0;
	events = 0;
	readonly uncaught: unknown[] = [];
	#isInEvent = false;
	#isInside = false;
	#promisesBefore = 0;

	constructor(random: Random) {
		this.#random = random;
	}

	/** Wall time without its jumps: what the checker goes by. */
	get time(): number {
		return EPOCH + Math.floor(this.elapsed);
	}

	get now(): number {
		return this.time + this.skew;
	}

	after(ms: number, owner: Owner, call: () => void): () => void {
		const event = { at: this.elapsed + Math.max(0, ms), rank: this.#random.next(), owner, call, isCancelled: false };
		this.#push(event);
		return () => {
			event.isCancelled = true;
		};
	}

	/** A history that never rests is a violation, not an endless loop. */
	get isTired(): boolean {
		return this.events > MOST_EVENTS;
	}

	/** Lets events happen, one after the other, until it is over or nothing is left to happen. */
	run(isOver: () => boolean): Promise<void> {
		// Not out of a promise: from there, what others wait for cannot be made to follow.
		return new Promise((resolve) =>
			setImmediate(() => {
				while (!isOver() && this.#next(Number.POSITIVE_INFINITY));
				resolve();
			}),
		);
	}

	/**
	 * Whether an event may be interrupted where it is: one at a time, and not if a part of the same process could continue. What
	 * follows from an event cannot be interrupted, since Node lets nobody else's follow meanwhile.
	 */
	get mayInterrupt(): boolean {
		return this.#isInEvent && !this.#isInside && promisesUsed === this.#promisesBefore;
	}

	/** What happens to others while somebody is suspended in the middle of an event. */
	meanwhile(until: number): void {
		this.#isInside = true;
		// Not what waits for its end: that may be the suspended process's own, which continues with this event first.
		while (!this.isTired && (this.#heap[0]?.at ?? until) < until && this.#next(until));
		this.#isInside = false;
		this.#isInEvent = true;
		this.#promisesBefore = promisesUsed;
		this.elapsed = Math.max(this.elapsed, until);
	}

	/** False if nothing is left to happen until then. */
	#next(until: number): boolean {
		const first = this.#heap[0];
		if (!first || first.at > until) return false;
		const event = this.#pop() as Event;
		if (event.isCancelled || !event.owner.isAlive) return true;
		if (event.owner.suspendedUntil > event.at) {
			event.at = event.owner.suspendedUntil;
			this.#push(event);
			return true;
		}
		this.elapsed = event.at;
		this.events++;
		this.#isInEvent = true;
		this.#promisesBefore = promisesUsed;
		this.#happen(event);
		this.#isInEvent = false;
		// Everything that follows from it without time passing.
		runMicrotasks();
		return true;
	}

	/** What is thrown to nobody would end a real process: that is a finding, unless it was killed just now. */
	#happen({ call, owner }: Event): void {
		try {
			call();
		} catch (error) {
			if (owner.isAlive) this.uncaught.push(error);
		}
	}

	#push(event: Event): void {
		const heap = this.#heap;
		let index = heap.push(event) - 1;
		while (index > 0) {
			const parent = (index - 1) >> 1;
			if (!isBefore(event, heap[parent] as Event)) break;
			heap[index] = heap[parent] as Event;
			index = parent;
		}
		heap[index] = event;
	}

	#pop(): Event | undefined {
		const heap = this.#heap;
		const first = heap[0];
		const last = heap.pop();
		if (!first || !last || heap.length === 0) return first;
		let index = 0;
		for (;;) {
			let child = 2 * index + 1;
			if (child >= heap.length) break;
			if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
			if (!isBefore(heap[child] as Event, last)) break;
			heap[index] = heap[child] as Event;
			index = child;
		}
		heap[index] = last;
		return first;
	}
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.rank < b.rank);
