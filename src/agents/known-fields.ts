import { nearest } from "../run/nearest.ts";
import type { Fields } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { BLACKLIST_FIELDS, WHITELIST_FIELDS } from "./tools.ts";

export const LIMIT_FIELDS = ["maxTurns", "timeoutMs", "idleTimeoutMs", "maxCostUsd", "maxTokens"] as const;

/** Fields that take something away from the agent. */
const RESTRICTING = ["readonly", ...WHITELIST_FIELDS, ...BLACKLIST_FIELDS];
const KNOWN = [
	"name",
	"description",
	...RESTRICTING,
	"model",
	"thinking",
	...LIMIT_FIELDS,
	"isolation",
	"outputSchema",
];

/** Fields of Claude Code that mean nothing here, so that its files work unchanged and without noise. */
const IGNORED = [
	"background",
	"color",
	"effort",
	"hooks",
	"initialPrompt",
	"mcpServers",
	"memory",
	"permissionMode",
	"skills",
];

/**
 * An unknown field is reported and passed over, unless it is a restriction in another spelling (`readOnly`,
 * `denied-tools`): passing over that would hand the agent what its author meant to withhold.
 */
export function reportUnknownFields(fields: Fields, findings: Findings): void {
	for (const field of fields.values()) {
		if (KNOWN.includes(field.key) || IGNORED.includes(field.key)) continue;
		const meant = RESTRICTING.find((known) => plain(known) === plain(field.key));
		if (meant !== undefined) {
			findings.error(field, `The field ${field.key} restricts nothing in this spelling.`, `Write ${meant}.`);
			continue;
		}
		const suggestion = nearest(field.key, KNOWN);
		findings.warning(
			field,
			`Unknown field ${field.key}, not used.`,
			suggestion === undefined ? "Remove it." : `Did you mean ${suggestion}?`,
		);
	}
}

const plain = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, "");
