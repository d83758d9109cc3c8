import { quoted } from "../run/quoted.ts";
import type { ResolvedModel } from "./model.ts";
import type { ModelChoice } from "./plan.ts";

/** `inherit`, as Claude Code has it: the parent's model, whatever the configuration names. */
export const isInherit = (name: string): boolean => name.trim().toLowerCase() === "inherit";

/** Claude Code's names for the newest model of a family. Any other partial name is read as pi reads it, with a warning. */
const FAMILIES: ReadonlySet<string> = new Set(["sonnet", "opus", "haiku"]);

export interface ModelReading<M extends ModelChoice> {
	/** The usable models. */
	models: readonly M[];
	/** The provider of the parent's model. */
	ownProvider: string | undefined;
	/** pi's own reading of a name among some models: an exact id, or else the newest model whose id or name contains it. */
	readByPi(name: string, models: readonly M[]): Promise<ResolvedModel | undefined>;
}

/**
 * The meaning of a name. pi reads a bare name among all models, so if two providers offer the same ids, the order of its
 * catalog decides. Here the parent's provider comes first, and an exact model comes before one with a longer name.
 */
export async function readModelName<M extends ModelChoice>(
	name: string,
	reading: ModelReading<M>,
): Promise<ResolvedModel | undefined> {
	const { models, ownProvider, readByPi } = reading;
	const text = name.trim();
	if (text === "" || /[*?]/.test(text)) return undefined; // pi reads a pattern as several models.
	const named = namedProvider(text, models);
	const expected = named ?? ownProvider;
	const written = named === undefined ? text : text.slice(named.length + 1).trim();
	const isExpected = ({ provider }: ModelChoice) => provider === expected;
	const isFamily = FAMILIES.has(withoutSuffix(written).toLowerCase());

	const inOrder: ((model: M) => boolean)[] = [
		(model) => isExpected(model) && hasId(model, written),
		(model) => isExpected(model) && isSameModel(model, written),
		...(isFamily ? [isExpected] : []),
		(model) => hasId(model, text),
		(model) => isSameModel(model, text),
		isExpected,
		// A provider that was named is not exchanged for another one because some letters match.
		...(named === undefined ? [() => true] : []),
	];
	for (const among of inOrder) {
		const pool = models.filter(among);
		const read = pool.length === 0 ? undefined : await readByPi(text, pool);
		if (!read) continue;
		const { model, warnings = [] } = read;
		const isWhatWasWritten = isFamily || isSameModel(model, written) || isSameModel(model, text);
		return { ...read, warnings: [...warnings, ...surprise(name, { model, expected, isWhatWasWritten })] };
	}
	return undefined;
}

function surprise(
	name: string,
	{
		model,
		expected,
		isWhatWasWritten,
	}: { model: ModelChoice; expected: string | undefined; isWhatWasWritten: boolean },
): string[] {
	const taken = `${model.provider}/${model.id}`;
	if (expected !== undefined && model.provider !== expected) {
		return [
			`${expected} does not offer ${quoted(name)}, so ${taken} was used. Write provider/id to choose a provider.`,
		];
	}
	return isWhatWasWritten ? [] : [`${quoted(name)} was read as ${taken}. Write the whole name to be sure of it.`];
}

/** The provider in `provider/id`. The longest match, since the name of a provider may contain a slash too. */
function namedProvider(text: string, models: readonly ModelChoice[]): string | undefined {
	const lower = text.toLowerCase();
	const named = [...new Set(models.map(({ provider }) => provider))].filter((provider) =>
		lower.startsWith(`${provider.toLowerCase()}/`),
	);
	return named.sort((a, b) => b.length - a.length)[0];
}

/** Without `:high` or another suffix: pi reports a suffix that is not a thinking level. */
const withoutSuffix = (text: string): string => text.replace(/:[^:/]*$/, "");

const hasId = ({ id }: ModelChoice, written: string): boolean =>
	[written, withoutSuffix(written)].some((text) => text.toLowerCase() === id.toLowerCase());

/** The same model under the id of another service: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is claude-sonnet-4-5. */
function isSameModel({ id }: ModelChoice, written: string): boolean {
	const plain = id
		.toLowerCase()
		.replace(/(-v\d+(:\d+)?)?$/, "")
		.replace(/([-@](\d{8}|latest))?$/, "");
	return [written, withoutSuffix(written)]
		.map((text) => text.toLowerCase())
		.some(
			(text) =>
				hasId({ provider: "", id }, text) || plain === text || plain.endsWith(`.${text}`) || plain.endsWith(`/${text}`),
		);
}
