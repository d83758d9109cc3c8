/**
 * A value that is computed once for all callers at the same moment. The calls of one message begin together, and the files
 * that they read cannot change between them.
 */
export class SameMoment<Value> {
	readonly #known = new Map<string, Value>();

	of(key: string, make: () => Value): Value {
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		if (this.#known.size === 0) setImmediate(() => this.#known.clear());
		const made = make();
		this.#known.set(key, made);
		return made;
	}
}
