import type { SubagentErrorCode } from "./errors.ts";
import type { HostId, RunId, SessionId } from "./ids.ts";

declare const redacted: unique symbol;

/**
 * A text that may be shown: secrets are masked, home folders shortened. It is made where text from outside enters (a child,
 * its provider, its tools, the request of a parent), and all code that shows a text requires this type.
 */
export type Redacted = string & { readonly [redacted]: true };

/** Data in which every text is redacted. Texts of a closed set, and branded ones such as ids, stay what they are. */
export type AllRedacted<T> = T extends string
	? string extends T
		? Redacted
		: T
	: T extends (...args: never[]) => unknown
		? T
		: T extends object
			? { [Key in keyof T]: AllRedacted<T[Key]> }
			: T;

/** Cannot hold a secret: we made it, or checked it letter by letter. */
type Harmless = number | RunId | SessionId | HostId | SubagentErrorCode;

/** Text that we write ourselves: constants, with redacted or harmless values in between. */
export const ours = (constants: TemplateStringsArray, ...values: (Redacted | Harmless)[]): Redacted =>
	String.raw({ raw: constants }, ...values) as Redacted;

/** A redacted text in another shape: cut, in one line, between marks. The shape adds nothing but constants. */
export const reshaped = (text: Redacted, shape: (text: string) => string): Redacted => shape(text) as Redacted;

export const joined = (texts: readonly Redacted[], separator: string): Redacted => texts.join(separator) as Redacted;

/** For readers of data that was redacted before it was stored or sent. Each caller says where that happened. */
export const redactedBefore = <T>(value: T): AllRedacted<T> => value as AllRedacted<T>;
