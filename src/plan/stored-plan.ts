import { isRecord } from "../run/is-record.ts";
import { type Fields, type Upgrades, upgraded, withVersion } from "../run/stored.ts";
import type { LaunchPlan } from "./plan.ts";

/** Version 1 says that it is one. */
const UPGRADES: Upgrades = [(plan) => plan];

export const storedPlan = (plan: LaunchPlan): string => JSON.stringify(withVersion(plan, UPGRADES));

/** Undefined if it is not a plan. */
export function readPlan(stored: unknown): LaunchPlan | "newer" | undefined {
	const plan = upgraded(stored, UPGRADES);
	if (plan === "newer") return plan;
	return plan && isPlan(plan) ? (plan as unknown as LaunchPlan) : undefined;
}

function isPlan(fields: Fields): boolean {
	const { definition, model, limits, session, principal, afterwards } = fields;
	return (
		["agent", "task", "prompt", "cwd"].every((key) => isText(fields[key])) &&
		["tools", "extensions", "lspActions", "warnings"].every((key) => isTexts(fields[key])) &&
		isRecord(definition) &&
		isText(definition.file) &&
		isRecord(model) &&
		isText(model.provider) &&
		isText(model.id) &&
		isRecord(limits) &&
		["timeoutMs", "idleTimeoutMs", "toolTimeoutMs", "maxCorrections"].every((key) => isAmount(limits[key])) &&
		isRecord(limits.parentSession) &&
		isRecord(session) &&
		isText(session.id) &&
		isText(session.file) &&
		isRecord(principal) &&
		isText(principal.id) &&
		isRecord(afterwards) &&
		isAmount(afterwards.archiveAfterMinutes)
	);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isAmount = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0;
