import type { HostId, RunId, SessionId } from "../../src/run/ids.ts";
import type { Redacted } from "../../src/run/redacted.ts";

/** The same data, with plain texts where the product has only those that went through the redactor, or are ids. */
export type Plain<T> = T extends Redacted | RunId | SessionId | HostId
	? string
	: T extends (...args: never[]) => unknown
		? T
		: T extends object
			? { [Key in keyof T]: Plain<T[Key]> }
			: T;

/** For tests without redaction: their texts are used unchanged. */
export const asItIs = <T>(value: Plain<T>): T => value as T;

/** A redactor that changes nothing. */
export const NO_REDACTOR = {
	redact: (text: string) => text as Redacted,
	redactValue: <T>(value: T) => value as never,
	redactInSlices: async <T>(value: T) => value as never,
};
