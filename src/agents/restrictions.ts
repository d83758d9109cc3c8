import { isRecord } from "../run/is-record.ts";
import { ISOLATIONS, type Isolation } from "../run/isolation.ts";
import type { Field, FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { networkOf } from "./network.ts";
import { WHITELIST_FIELDS } from "./tools.ts";

/** Fields that may restrict an agent in a way that cannot be enforced here, at least with some values. */
export const UNENFORCED_FIELDS = [
	"permissionMode",
	"hooks",
	"isolation",
	"network",
	"permission",
	"permissions",
	"sandbox",
	"sandbox_mode",
	"allow",
	"deny",
	"restrictions",
	"allow_write",
	"can_write",
	"writable",
	"offline",
	"isolated",
	"disable-model-invocation",
	"extensions",
	"exclude_extensions",
] as const;

type UnenforcedField = (typeof UNENFORCED_FIELDS)[number];

/**
 * Whether a value does not restrict the agent. Claude Code's modes `acceptEdits`, `auto` and `bypassPermissions` answer its
 * permission questions in advance. There are no such questions here, so these modes have no effect. `dontAsk` denies
 * everything that was not allowed before, and an unknown mode may do the same.
 */
const TAKES_NOTHING: Record<UnenforcedField, (value: unknown) => boolean> = {
	permissionMode: (value) => ["default", "acceptEdits", "auto", "bypassPermissions"].some((mode) => mode === value),
	hooks: isEmpty,
	isolation: (value) => value === false || value === "none" || ISOLATIONS.some((isolation) => isolation === value),
	network: (value) => networkOf(value) !== undefined,
	permission: isEmpty,
	permissions: isEmpty,
	sandbox: (value) => value === "off" || value === false,
	sandbox_mode: (value) => value === "danger-full-access",
	allow: isEmpty,
	deny: isEmpty,
	restrictions: isEmpty,
	allow_write: isTrue,
	can_write: isTrue,
	writable: isTrue,
	offline: isFalse,
	isolated: isFalse,
	"disable-model-invocation": isFalse,
	extensions: (value) => value === true,
	exclude_extensions: isEmpty,
};

function isTrue(value: unknown): boolean {
	return value === true;
}

function isFalse(value: unknown): boolean {
	return value === false;
}

function isEmpty(value: unknown): boolean {
	if (Array.isArray(value)) return value.length === 0;
	return isRecord(value) && Object.keys(value).length === 0;
}

/**
 * The restrictions in the file that cannot be enforced. Each makes the agent read-only: the file's author meant to
 * withhold something, and granting it would be more than they intended.
 */
export function unenforcedRestrictions(
	fields: FieldsByKey,
	unknown: readonly Field[],
	findings: Findings,
): { key: string; message: string }[] {
	const known = UNENFORCED_FIELDS.flatMap((key) => {
		const field = fields.get(key);
		return field === undefined || isAbsent(field.value) || TAKES_NOTHING[key](field.value) ? [] : [field];
	});
	return [...known, ...unknown].flatMap((field) => {
		const { key } = field;
		if (key === "extensions" && WHITELIST_FIELDS.some((list) => fields.has(list))) {
			findings.warning(field, "extensions is not used: the list of tools says which are loaded.", "Remove it.");
			return [];
		}
		const message = `${fieldText(field)} cannot be enforced here, so the agent is read-only.`;
		findings.warning(field, message, `Remove ${key} to let the agent do what its tools allow.`);
		return [{ key, message }];
	});
}

const isAbsent = (value: unknown): boolean => value === null || (typeof value === "string" && value.trim() === "");

const fieldText = ({ key, value }: Field): string =>
	typeof value === "string" || typeof value === "boolean" ? `${key}: ${String(value).trim().slice(0, 40)}` : key;

/** An unknown value is reported as a restriction that cannot be enforced. */
export function readIsolation(fields: FieldsByKey): Isolation {
	const value = fields.get("isolation")?.value;
	return ISOLATIONS.find((isolation) => isolation === value) ?? "shared";
}
