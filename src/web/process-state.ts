import { BoundedMap } from "./bounded-map.ts";
import type { ReadableDocument } from "./convert/convert.ts";
import { Slots } from "./slots.ts";

/** A page or file as the tools know it. */
export interface Page extends ReadableDocument {
	/** The requested address or path. */
	source: string;
	/** Where redirects led, if elsewhere. */
	finalUrl?: string;
	/** Where the part begins that the address names. */
	start?: number;
}

export interface KeptPage extends Page {
	/** Its number in the response, from 1. */
	index: number;
}

interface WebState {
	hosts: Slots;
	workers: Slots;
	cache: BoundedMap<{ page: Page; at: number }>;
	/** By response id. An id cannot be guessed, so only a caller that received it can read the content. */
	kept: BoundedMap<readonly KeptPage[]>;
}

const WEB_STATE = Symbol.for("pi-geon.web.1");
const MILLION = 1_000_000;

/**
 * Shared by all sessions of this process: a host loads the extension again for each child, and a child that continues later
 * should still find its content.
 */
export function processState(): WebState {
	const shared = globalThis as { [WEB_STATE]?: WebState };
	shared[WEB_STATE] ??= {
		hosts: new Slots(3),
		workers: new Slots(2),
		cache: new BoundedMap({ weight: 16 * MILLION, entries: 200 }),
		kept: new BoundedMap({ weight: 32 * MILLION, entries: 500 }),
	};
	return shared[WEB_STATE];
}
