import type { Field, FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";

/** The names in a field that is a YAML list, or text with commas. Undefined if the field is absent or cannot be read. */
export function readNames(key: string, fields: FieldsByKey, findings: Findings): string[] | undefined {
	const field = fields.get(key);
	if (field === undefined || field.value === null) return undefined;
	const names = listedNames(field);
	if (names) return [...new Set(names)];
	findings.error(
		field,
		`${key} is not a list of names.`,
		`Write \`one, two\`${key === "skills" ? ", `all`" : ""} or a YAML list of names.`,
	);
	return undefined;
}

function listedNames({ value }: Field): string[] | undefined {
	const items: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [undefined];
	if (!items.every((item) => typeof item === "string")) return undefined;
	return items.map((item) => item.trim()).filter((item) => item !== "");
}

/** `all` stands for every skill that pi finds, `none` and false for no skill. */
export function readSkills(fields: FieldsByKey, findings: Findings): string[] | "all" | undefined {
	if (fields.get("skills")?.value === false) return undefined;
	const names = readNames("skills", fields, findings);
	const [only, ...others] = names ?? [];
	if (only === undefined || (others.length === 0 && only === "none")) return undefined;
	return others.length === 0 && only === "all" ? "all" : names;
}
