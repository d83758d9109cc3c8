import { isRecord } from "./is-record.ts";

export type Fields = Readonly<Record<string, unknown>>;

/**
 * JSON that outlives the process that wrote it has a version. The n-th of its upgrades makes version n + 1 of version n,
 * so their number is the version that we write. JSON without a version is from before there were any: version 0.
 */
export type Upgrades = readonly ((older: Fields) => Fields)[];

export const withVersion = <T extends object>(value: T, upgrades: Upgrades): { version: number } & T => ({
	version: upgrades.length,
	...value,
});

/** The stored fields in our version, without the version number. Data of a newer pi-geon is not guessed at. */
export function upgraded(stored: unknown, upgrades: Upgrades): Fields | "newer" | undefined {
	if (!isRecord(stored)) return undefined;
	const { version = 0, ...fields } = stored;
	if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 0) return undefined;
	if (version > upgrades.length) return "newer";
	return upgrades.slice(version).reduce<Fields>((older, upgrade) => upgrade(older), fields);
}
