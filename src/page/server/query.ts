import type { Context } from "hono";

/** A longer word cannot match anything. */
const LONGEST_WORD = 2000;

/** These words of a query, if present. */
export function wordsOfQuery<Name extends string>(
	context: Context,
	names: readonly Name[],
): { [Key in Name]?: string } {
	const given = names.flatMap((name) => {
		const value = context.req.query(name)?.slice(0, LONGEST_WORD);
		return value === undefined || value === "" ? [] : [[name, value] as const];
	});
	return Object.fromEntries(given) as { [Key in Name]?: string };
}

/** These whole numbers of a query. Anything else counts as missing. */
export function numbersOfQuery<Name extends string>(
	context: Context,
	names: readonly Name[],
): { [Key in Name]?: number } {
	const given = Object.entries<string | undefined>(wordsOfQuery(context, names)).flatMap(([name, value]) => {
		const number = Number(value);
		return Number.isSafeInteger(number) && number >= 0 ? [[name, number] as const] : [];
	});
	return Object.fromEntries(given) as { [Key in Name]?: number };
}
