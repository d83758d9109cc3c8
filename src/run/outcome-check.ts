import type { ReportedChanges } from "./changes.ts";
import { isRecord } from "./is-record.ts";
import type { Cause, DisplayItem, FailureCause, Outcome } from "./outcome.ts";
import type { SandboxReport } from "./sandbox-report.ts";
import type { Usage } from "./usage.ts";

/**
 * Whether a value that was read back is an outcome, down to the last field that any code reads. That code relies on the
 * types: a field that passes here and does not match its type stops the reports of a whole session.
 */
export function isOutcome(value: unknown): value is Outcome<string> {
	if (!isRecord(value) || !hasFacts(value)) return false;
	if (value.status === "success") {
		return value.cause === "finalized" && value.exitCode === 0 && isText(value.output) && isSuccess(value.finalized);
	}
	return (value.status === "error" || value.status === "timeout") && isFailure(value);
}

const hasFacts = ({
	usage,
	displayItems,
	attempts,
	warnings,
	model,
	context,
	output,
	sandbox,
	changes,
}: Stored): boolean =>
	isUsage(usage) &&
	isListOf(displayItems, isDisplayItem) &&
	isListOf(warnings, isText) &&
	Number.isSafeInteger(attempts) &&
	Number(attempts) >= 0 &&
	isTextOrAbsent(model) &&
	isTextOrAbsent(output) &&
	(sandbox === undefined || isSandboxReport(sandbox)) &&
	(changes === undefined || isReportedChanges(changes)) &&
	(context === undefined || (isRecord(context) && isNumber(context.tokens) && isNumber(context.window)));

export const isSandboxReport = (value: unknown): value is SandboxReport =>
	isRecord(value) &&
	["enforced", "write", "network"].every((field) => isText(value[field])) &&
	isTextOrAbsent(value.by) &&
	isTextOrAbsent(value.why) &&
	isTextOrAbsent(value.host) &&
	(value.policyOnly === undefined || isListOf(value.policyOnly, isText)) &&
	(value.denials === undefined || isNumber(value.denials));

export const isReportedChanges = (value: unknown): value is ReportedChanges =>
	isRecord(value) &&
	isRecord(value.base) &&
	isText(value.base.commit) &&
	(value.commit === null || isText(value.commit)) &&
	isListOf(value.files, isReportedFile) &&
	isRecord(value.total) &&
	[value.total.files, value.total.added, value.total.removed].every(isNumber) &&
	isText(value.state) &&
	isTextOrAbsent(value.patch) &&
	isListOf(value.warnings, isText);

const isReportedFile = (file: unknown): boolean =>
	isRecord(file) &&
	isText(file.path) &&
	isTextOrAbsent(file.from) &&
	isText(file.status) &&
	isNumber(file.added) &&
	isNumber(file.removed);

const isFailure = ({ cause, exitCode, error, finalized, timeoutReason, lastEvent }: Stored): boolean =>
	isFailureCause(cause) &&
	Number.isSafeInteger(exitCode) &&
	exitCode !== 0 &&
	isRecord(error) &&
	isText(error.code) &&
	isText(error.message) &&
	isTextOrAbsent(error.reason) &&
	(finalized === undefined || isReportedError(finalized)) &&
	(timeoutReason === undefined || TIMEOUT_REASONS.includes(timeoutReason)) &&
	isTextOrAbsent(lastEvent);

const isSuccess = (finalized: unknown): boolean =>
	isRecord(finalized) && finalized.status === "SUCCESS" && isText(finalized.result);

const isReportedError = (finalized: unknown): boolean =>
	isRecord(finalized) && finalized.status === "ERROR" && isText(finalized.error) && isTextOrAbsent(finalized.result);

export function isDisplayItem(item: unknown): item is DisplayItem<string> {
	if (!isRecord(item)) return false;
	if (item.type === "text") return isText(item.text);
	return item.type === "toolCall" && isText(item.name) && isRecord(item.args);
}

const FAILURE_CAUSES: Readonly<Record<FailureCause, true>> = {
	reported_error: true,
	not_finalized: true,
	uncheckable: true,
	timeout: true,
	stopped: true,
	budget: true,
	output_limit: true,
	provider: true,
	refused: true,
	crashed: true,
	not_harvested: true,
	lost: true,
	unreadable: true,
};

const isFailureCause = (value: unknown): value is FailureCause => isText(value) && Object.hasOwn(FAILURE_CAUSES, value);

export const isCause = (value: unknown): value is Cause => value === "finalized" || isFailureCause(value);

const AMOUNTS = ["input", "output", "cacheRead", "cacheWrite", "cost", "turns"];

export const isUsage = (value: unknown): value is Usage =>
	isRecord(value) && AMOUNTS.every((amount) => isNumber(value[amount]));

type Stored = Readonly<Record<string, unknown>>;

const TIMEOUT_REASONS: readonly unknown[] = ["runtime", "idle", "tool"];

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
	Array.isArray(value) && value.every(fits);
