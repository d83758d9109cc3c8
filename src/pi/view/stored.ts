import { isRecord } from "../../run/is-record.ts";

/**
 * Readers for the content of a session file. Old sessions and other versions of this extension may have written anything,
 * and a renderer that throws takes pi's screen with it.
 */
export type StoredFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): StoredFields | undefined {
	return isRecord(value) ? value : undefined;
}

export function storedList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** Negative and non-finite amounts count as missing. */
export function amountOf(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
