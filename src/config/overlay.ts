import { isRecord } from "../run/is-record.ts";
import { nearest } from "../run/nearest.ts";
import { describe } from "./kinds.ts";
import { isSetting, type Section, type Setting, type Source } from "./setting.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The file that overrides existing values. */
export type Layer = "user" | "project";

/** The values of one file, with what is needed to check and report them. */
export interface Given {
	values: Values;
	source: Source;
	layer: Layer;
	/** All dotted paths of the table, to find a key that was put into the wrong section. */
	known: readonly string[];
}

/** Overrides existing values with those of one file. Reports an unusable value, which changes nothing. */
export function overlay(section: Section, base: Values, given: Given): Values {
	reportUnknownKeys(section, given);
	const entries = Object.entries(section).map(([key, entry]) => {
		const mine = base[key];
		if (!Object.hasOwn(given.values, key)) return [key, mine];
		const theirs = given.values[key];
		const source = given.source.at(key);
		if (isSetting(entry)) return [key, take(entry, mine, { value: theirs, source, layer: given.layer })];
		if (isRecord(mine) && isRecord(theirs)) return [key, overlay(entry, mine, { ...given, values: theirs, source })];
		source.report("error", `Expected an object, not ${describe(theirs)}.`, "Correct it; until then it is ignored.");
		return [key, mine];
	});
	return Object.fromEntries(entries);
}

function take(
	setting: Setting<unknown>,
	mine: unknown,
	{ value, source, layer }: { value: unknown; source: Source; layer: Layer },
): unknown {
	const theirs = setting.kind.read(value, source);
	if (theirs === undefined) {
		const instead = layer === "user" ? "the default" : "the value without the project's file";
		const remedy = `Correct it; until then ${instead} applies${shownValue(mine)}.`;
		source.report("error", `Expected ${setting.kind.expected}, not ${describe(value)}.`, remedy);
		return mine;
	}
	if (layer === "user") return theirs;
	const merged = setting.fromProject(mine, theirs);
	if (merged.ignored !== undefined) {
		source.report("warning", `Ignored: ${merged.ignored}.`, "To change it, set it in your own file.");
	}
	return merged.value;
}

const shownValue = (value: unknown): string =>
	typeof value === "object" && value !== null ? "" : `: ${describe(value)}`;

function reportUnknownKeys(section: Section, { values, source, known }: Given): void {
	const siblings = Object.keys(section);
	for (const key of Object.keys(values).filter((name) => !siblings.includes(name))) {
		const suggestion = nearest(key, siblings) ?? known.find((path) => path.endsWith(`.${key}`));
		const remedy = suggestion === undefined ? "Remove it." : `Did you mean ${suggestion}?`;
		source.at(key).report("warning", "Unknown key, not used.", remedy);
	}
}

export function defaultsOf(section: Section): Values {
	const entries = Object.entries(section).map(([key, entry]) => [
		key,
		isSetting(entry) ? entry.default : defaultsOf(entry),
	]);
	return Object.fromEntries(entries);
}

/** The dotted paths of a table, sections included. */
export function pathsOf(section: Section): string[] {
	return Object.entries(section).flatMap(([key, entry]) => [
		key,
		...(isSetting(entry) ? [] : pathsOf(entry).map((path) => `${key}.${path}`)),
	]);
}
