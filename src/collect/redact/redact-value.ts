import type { AllRedacted } from "../../run/redacted.ts";
import { credentialName } from "./credential-names.ts";
import { maskOf } from "./mask.ts";
import { isOurSession } from "./references.ts";
import { isSecretValue } from "./secret-values.ts";

/** How deep the result of a child may be. Deeper values overflow the stack of code that walks them: the ledger, pi. */
export const DEEPEST_RESULT = 500;
/** The result is part of an outcome, which is part of an event. */
const MAX_DEPTH = DEEPEST_RESULT + 20;
const TOO_DEEP = "[left out: nested too deeply]";

/** Redacts every string in JSON-like data. Keys stay, and say what their values are: `{ password: "…" }`. */
export function redactDeep<T>(value: T, redact: (text: string) => string): AllRedacted<T> {
	const copies = new Map<object, unknown>();

	const visit = (part: unknown, key: string | undefined, depth: number): unknown => {
		if (typeof part === "string") return redactUnderKey(part, key, redact);
		if (typeof part !== "object" || part === null || isOpaque(part)) return part;
		const known = copies.get(part);
		if (known !== undefined) return known;
		if (depth >= MAX_DEPTH) return TOO_DEEP;
		if (Array.isArray(part)) {
			const copy: unknown[] = [];
			copies.set(part, copy);
			for (const item of part) copy.push(visit(item, key, depth + 1));
			return copy;
		}
		const copy: object = Object.create(Object.getPrototypeOf(part));
		copies.set(part, copy);
		for (const [name, item] of Object.entries(part)) {
			// Not an assignment: a key named __proto__ must stay a key.
			Object.defineProperty(copy, name, {
				value: visit(item, name, depth + 1),
				enumerable: true,
				writable: true,
				configurable: true,
			});
		}
		return copy;
	};

	// The copy has the shape of the original; only its strings differ.
	return visit(value, undefined, 0) as AllRedacted<T>;
}

/** The strings in JSON-like data that are too long to be redacted in passing, each once. */
export function longStringsIn(value: unknown, chars: number): Set<string> {
	const found = new Set<string>();
	const seen = new Set<object>();
	const visit = (part: unknown, depth: number): void => {
		if (typeof part === "string" && part.length > chars) found.add(part);
		if (typeof part !== "object" || part === null || isOpaque(part) || depth >= MAX_DEPTH || seen.has(part)) return;
		seen.add(part);
		for (const item of Object.values(part)) visit(item, depth + 1);
	};
	visit(value, 0);
	return found;
}

function redactUnderKey(text: string, key: string | undefined, redact: (text: string) => string): string {
	const redacted = redact(text);
	const kind = key === undefined || isOurSession(key, text) ? undefined : credentialName(key);
	return kind !== undefined && isSecretValue(redacted, kind, "quoted") ? maskOf(kind) : redacted;
}

/** Data without strings, and without properties to make a copy from. */
function isOpaque(part: object): boolean {
	return part instanceof Date || part instanceof RegExp || part instanceof ArrayBuffer || ArrayBuffer.isView(part);
}
