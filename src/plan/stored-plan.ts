import { isRecord } from "../run/is-record.ts";
import { type Fields, type Upgrades, upgraded, withVersion } from "../run/stored.ts";
import type { LaunchPlan } from "./plan.ts";

/** Version 1 only adds the version number. */
const PLAN_UPGRADES: Upgrades = [(plan) => plan];

export const storedPlan = (plan: LaunchPlan): string => JSON.stringify(withVersion(plan, PLAN_UPGRADES));

/** Undefined if it is not a plan. */
export function readPlan(stored: unknown): LaunchPlan | "newer" | undefined {
	const plan = upgraded(stored, PLAN_UPGRADES);
	if (plan === "newer") return plan;
	return plan && isPlan(plan) ? (plan as unknown as LaunchPlan) : undefined;
}

function isPlan(fields: Fields): boolean {
	const {
		definition,
		model,
		fallbackModels = [],
		skills = [],
		stopHook,
		askMinutes,
		sandbox,
		tree,
		trace,
		pool,
		limits,
		session,
		principal,
		afterwards,
	} = fields;
	return (
		["agent", "task", "prompt", "cwd"].every((key) => isStoredText(fields[key])) &&
		["tools", "extensions", "lspActions", "warnings"].every((key) => isTexts(fields[key])) &&
		(askMinutes === undefined || isAmount(askMinutes)) &&
		isRecord(definition) &&
		isStoredText(definition.file) &&
		isStoredModel(model) &&
		Array.isArray(fallbackModels) &&
		fallbackModels.every(isStoredModel) &&
		Array.isArray(skills) &&
		skills.every((skill) => isRecord(skill) && isStoredText(skill.name) && isStoredText(skill.file)) &&
		(stopHook === undefined || isStoredHook(stopHook)) &&
		(sandbox === undefined || (isRecord(sandbox) && isStoredSandbox(sandbox))) &&
		(tree === undefined || (isRecord(tree) && isStoredTree(tree))) &&
		(trace === undefined || (isRecord(trace) && isStoredText(trace.parent))) &&
		(pool === undefined || (isRecord(pool) && isStoredText(pool.name) && isAmount(pool.maxAttempts))) &&
		isRecord(limits) &&
		["timeoutMs", "idleTimeoutMs", "toolTimeoutMs", "maxCorrections"].every((key) => isAmount(limits[key])) &&
		isRecord(limits.parentSession) &&
		isRecord(session) &&
		isStoredText(session.id) &&
		isStoredText(session.file) &&
		(session.fork === undefined || isStoredText(session.fork)) &&
		isRecord(principal) &&
		isStoredText(principal.id) &&
		isRecord(afterwards) &&
		isAmount(afterwards.archiveAfterMinutes)
	);
}

const isStoredHook = (value: unknown): boolean =>
	isRecord(value) && isTexts(value.command) && isAmount(value.timeoutMs) && isStoredText(value.cwd);
const isStoredSandbox = ({ mode, write, network, hosts = [], env, hide }: Fields): boolean =>
	[mode, write, network].every(isStoredText) && [hosts, env, hide].every(isTexts);
const isStoredTree = ({ maxFiles, maxBytes, link, submodules, prefix = "" }: Fields): boolean =>
	isStoredText(prefix) && isAmount(maxFiles) && isAmount(maxBytes) && isTexts(link) && isStoredText(submodules);
const isStoredModel = (value: unknown): boolean =>
	isRecord(value) && isStoredText(value.provider) && isStoredText(value.id);
const isStoredText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isStoredText);
const isAmount = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0;
