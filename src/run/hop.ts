import { isRecord } from "./is-record.ts";
import type { Redacted } from "./redacted.ts";

/** A run continues with the next of its models, in the same session, because the one before cannot be used. */
export interface Hop {
	/** `provider/id`. */
	from: string;
	to: string;
	/** The HTTP status of the last answer, or what happened instead of one. */
	why: number | keyof typeof WHY;
	/** The first line of what the provider said. */
	said?: Redacted;
}

const WHY = {
	no_answer: "its provider did not answer",
	failed: "its provider kept failing",
	no_credentials: "there are no credentials for its provider",
	unknown: "pi does not know it",
} as const;

/** A warning of the run. The model names come from the user's files, so redact it before you show it. */
export function hopInWords({ from, to, why, said }: Hop): string {
	const reason = typeof why === "number" ? `HTTP ${why}` : WHY[why];
	const detail = said === undefined ? reason : `${reason}: ${said}`;
	return `The model ${from} could not be used (${detail}), so ${to} continued in the same session.`;
}

export const isHops = (value: unknown): value is Hop[] => Array.isArray(value) && value.every(isHop);

const isHop = (value: unknown): boolean =>
	isRecord(value) &&
	typeof value.from === "string" &&
	typeof value.to === "string" &&
	(Number.isSafeInteger(value.why) || (typeof value.why === "string" && Object.hasOwn(WHY, value.why))) &&
	(value.said === undefined || typeof value.said === "string");
