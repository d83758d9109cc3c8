import type { ExtensionContext, SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import { ANNOUNCE, type AnnounceDetails } from "../deliver/announce.ts";
import { STOPPED_BY_USER } from "../deliver/stopped.ts";
import { readAnnounceDetails, readStoppedDetails } from "../deliver/stored-details.ts";
import { piUsage } from "../deliver/tool-result.ts";
import type { SilentRun } from "../ports/conversation.ts";
import { count, dollars } from "../run/amounts.ts";
import { isRecord } from "../run/is-record.ts";
import { inputTokens, type Usage } from "../run/usage.ts";

/** The kind of entry in which a session keeps the cost of a background run, announced or silent. */
const KIND = "pi-geon:announce";
const USAGE_STATUS = "pi-geon:usage";

/**
 * Adds the cost of announced runs to pi's own totals, which only count what is in the session. Each run counts once, even
 * after an interruption. Results of tool calls carry their own usage. A pi that cannot add to its totals shows the sum in
 * its status line.
 */
export function countUsage(ctx: ExtensionContext): void {
	const announced = ctx.sessionManager.getEntries().flatMap(announceIn);
	if (announced.length === 0) return;
	if (canAddUsage(ctx.sessionManager)) addToTotals(ctx.sessionManager, announced);
	else showSum(ctx, announced);
}

/** Adds the cost of one run that is not announced. A pi that cannot add to its totals has nowhere to keep it. */
export function countUsageOf(ctx: ExtensionContext, run: SilentRun): void {
	if (canAddUsage(ctx.sessionManager)) addToTotals(ctx.sessionManager, [run]);
}

type Totals = Pick<SessionManager, "appendUsage" | "getEntries">;

const canAddUsage = (manager: object): manager is Totals =>
	typeof (manager as Partial<Totals>).appendUsage === "function";

function addToTotals(manager: Totals, runs: readonly Announced[]): void {
	const counted = new Set(manager.getEntries().map(countedIn));
	for (const { runId, model = "unknown", usage } of runs) {
		if (counted.has(runId) || inputTokens(usage) + usage.output + usage.cost === 0) continue;
		const [provider = "", ...id] = model.split("/");
		manager.appendUsage(KIND, provider, id.join("/"), piUsage(usage), runId);
	}
}

interface Announced extends Pick<AnnounceDetails, "usage"> {
	runId: string;
	model?: string;
}

/** Other versions of this extension may have written the entry. A newer version counts its own entries. */
function announceIn(entry: SessionEntry): Announced[] {
	if (entry.type !== "custom_message") return [];
	if (entry.customType === ANNOUNCE) return announcedRun(readAnnounceDetails(entry.details));
	if (entry.customType !== STOPPED_BY_USER) return [];
	const runs = readStoppedDetails(entry.details)?.runs;
	return Array.isArray(runs) ? runs.flatMap(announcedRun) : [];
}

function announcedRun(stored: unknown): Announced[] {
	const { runId, model, usage } = isRecord(stored) ? stored : {};
	if (typeof runId !== "string" || !isRecord(usage)) return [];
	const amount = (name: keyof Usage) => (typeof usage[name] === "number" ? usage[name] : 0);
	return [
		{
			runId,
			...(typeof model === "string" && { model }),
			usage: {
				input: amount("input"),
				output: amount("output"),
				cacheRead: amount("cacheRead"),
				cacheWrite: amount("cacheWrite"),
				cost: amount("cost"),
				turns: amount("turns"),
			},
		},
	];
}

const countedIn = (entry: SessionEntry): string | undefined =>
	entry.type === "usage" && entry.kind === KIND ? entry.note : undefined;

function showSum(ctx: ExtensionContext, announced: readonly Announced[]): void {
	const sum = (of: (usage: Usage) => number) => announced.reduce((total, { usage }) => total + of(usage), 0);
	const tokens = sum((usage) => inputTokens(usage) + usage.output);
	const cost = sum((usage) => usage.cost);
	ctx.ui.setStatus(USAGE_STATUS, `subagents: ${count(tokens)} tokens${cost > 0 ? `, ${dollars(cost)}` : ""}`);
}
