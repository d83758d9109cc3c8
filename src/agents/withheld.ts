import { isRecord } from "../run/is-record.ts";
import type { Field, FieldsByKey } from "./fields.ts";
import { deniedWith, readToolEntry, splitToolList } from "./tool-names.ts";

/** The tools that fields other than the lists take from an agent. */
export interface Withheld {
	except: string[];
	/** If set, it gets no other tools. */
	only?: string[];
}

/** pi's tools that load something from the network. */
const ONLINE = ["web_search", "fetch_content", "get_search_content", "convert_content"];

/**
 * A file with one of these fields makes its agent read-only, because they cannot be enforced for each use of a tool. Some
 * of them also withhold whole tools that only read, such as the web: this is enforced.
 */
export function withheldTools(fields: FieldsByKey): Withheld {
	const valueIn = (key: string) => fields.get(key)?.value;
	const given = ["permission", "permissions"].map((key) => valueIn(key));
	const rules = given.map((rule) => (typeof rule === "string" ? { "*": rule } : rule)).filter(isRecord);
	const denied = [...rules.flatMap(deniedByRules), ...namedIn(valueIn("deny"))];
	const only = rules.find((rule) => "*" in rule && !isAllowedBy(rule["*"]));
	return {
		except: [...new Set([...denied, ...([...fields.values()].some(isOffline) ? ONLINE : [])])],
		...(only && { only: Object.keys(only).flatMap((key) => (isAllowedBy(only[key]) ? namedIn(key) : [])) }),
	};
}

const isOffline = ({ key, value }: Field): boolean =>
	key === "offline" ? value === true : /^(?:web|internet)(?:[-_]?access)?$/i.test(key) && value === false;

/** opencode's form names tools, `{ webfetch: deny }`, where `edit` is all that writes; Claude Code's has lists, `{ deny: [WebFetch] }`. */
const deniedByRules = ({ deny, ...rules }: Record<string, unknown>): string[] => [
	...namedIn(deny),
	...Object.keys(rules).flatMap((key) =>
		isAllowedBy(rules[key]) ? [] : namedIn(key === "edit" ? "edit, write" : key),
	),
];

/** A rule for some uses of a tool is not for the tool, but its `*` is. What would be asked about is not allowed. */
function isAllowedBy(rule: unknown): boolean {
	if (isRecord(rule)) return !("*" in rule) || isAllowedBy(rule["*"]);
	return rule !== "deny" && rule !== "ask" && rule !== false;
}

/** The whole tools in a value. Entries such as `Bash(rm:*)`, and fields that are no tools, do no harm. */
function namedIn(value: unknown): string[] {
	const items: unknown[] = Array.isArray(value) ? value : [value];
	return items
		.flatMap((item) => (typeof item === "string" ? splitToolList(item) : []))
		.flatMap((written) => {
			const entry = readToolEntry(written);
			return entry.kind === "tool" ? deniedWith(entry.name, written) : [];
		});
}
