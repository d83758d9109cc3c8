/** Keeps the most recently used entries, up to a total weight and a number. */
export class BoundedMap<V> {
	readonly #entries = new Map<string, { value: V; weight: number }>();
	readonly #limits: { weight: number; entries: number };
	#weight = 0;

	constructor(limits: { weight: number; entries: number }) {
		this.#limits = limits;
	}

	get(key: string): V | undefined {
		const entry = this.#entries.get(key);
		if (!entry) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry.value;
	}

	set(key: string, value: V, weight: number): void {
		this.delete(key);
		if (weight > this.#limits.weight) return;
		this.#entries.set(key, { value, weight });
		this.#weight += weight;
		for (const oldest of this.#entries.keys()) {
			if (this.#weight <= this.#limits.weight && this.#entries.size <= this.#limits.entries) break;
			this.delete(oldest);
		}
	}

	delete(key: string): void {
		this.#weight -= this.#entries.get(key)?.weight ?? 0;
		this.#entries.delete(key);
	}
}
