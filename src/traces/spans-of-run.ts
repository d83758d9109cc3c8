import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { EndedRecord } from "../ledger/records.ts";
import type { Attempt } from "../run/attempt.ts";
import { sessionKey } from "../run/ids.ts";
import type { Redacted } from "../run/redacted.ts";
import { readTraceParent } from "../run/trace-context.ts";
import type { SpanContent } from "./content.ts";
import { finishReason, modelParts, providerName, usageAttributes } from "./conventions.ts";
import { type Span, type SpanAttributes, spanIdsOf } from "./span.ts";
import { type ChatStep, stepsOf, type ToolStep, type TraceStep } from "./steps.ts";

/** A run with more steps is cut: collectors and readers do not need more. */
const MOST_STEPS = 5000;

/** A finished run, with all the data for its spans. */
export interface TracedRun {
	record: EndedRecord;
	attempts: readonly Attempt[];
	/** The entries that it wrote into its session. */
	entries: readonly SessionEntry[];
}

interface SpanOptions {
	/** Redacts names, which come from files of users and projects. */
	redact(text: string): Redacted;
	/** Absent: the spans contain no text that a user or a model wrote. */
	content?: SpanContent | undefined;
}

/** What all spans of one run have in common. */
type Frame = Pick<Span, "traceId" | "traceState" | "events">;

/**
 * The spans of a run: one for the run, one for each attempt if it had several, one for each answer of the model, one for
 * each tool call. None if the requesting program does not want its trace recorded.
 */
export async function spansOfRun(traced: TracedRun, options: SpanOptions): Promise<Span[]> {
	const { record, attempts } = traced;
	const { run, plan, sessionId, createdAt } = record;
	const ids = spanIdsOf({ sessionId, runId: run.id });
	const asker = plan.trace && readTraceParent(plan.trace.parent);
	const isChild = record.mode === "foreground" && asker !== undefined;
	if (isChild && !asker.isSampled) return [];
	const frame: Frame = {
		traceId: isChild ? asker.traceId : ids.traceId,
		...(isChild && plan.trace?.state !== undefined && { traceState: plan.trace.state }),
		events: [],
	};
	const steps = stepsOf(traced.entries, {
		from: run.startedAt ?? createdAt,
		to: run.endedAt,
		attemptEnd: (at) => attemptAt(attempts, at)?.end?.at ?? run.endedAt,
	});
	const whole: Span = {
		...frame,
		spanId: ids.spanId("run"),
		...(isChild ? { parentId: asker.spanId } : asker && { link: { traceId: asker.traceId, spanId: asker.spanId } }),
		name: `invoke_agent ${plan.agent}`,
		kind: "internal",
		startedAt: createdAt,
		endedAt: Math.max(createdAt, run.endedAt),
		attributes: {
			...runAttributes(record, options),
			...(steps.length > MOST_STEPS && { "pi_geon.spans_left_out": steps.length - MOST_STEPS }),
		},
		...(run.outcome.status !== "success" && { failed: { type: run.outcome.cause } }),
		events: run.startedAt === undefined ? [] : [{ name: "pi_geon.started", at: run.startedAt, attributes: {} }],
	};
	const several = attempts.length > 1 ? attempts : [];
	const attemptId = ({ number }: Attempt): string => ids.spanId("attempt", String(number));
	const spans = [
		whole,
		...several.map((attempt) => ({
			...frame,
			spanId: attemptId(attempt),
			parentId: whole.spanId,
			...attemptSpan(attempt, record, options),
		})),
	];
	for (const step of steps.slice(0, MOST_STEPS)) {
		const attempt = attemptAt(several, step.startedAt);
		const part = step.kind === "chat" ? ["chat", step.id] : ["tool", step.id, step.callId];
		spans.push({
			...frame,
			spanId: ids.spanId(...part),
			parentId: attempt ? attemptId(attempt) : whole.spanId,
			...(await stepSpan(step, record, options)),
		});
	}
	return spans;
}

/** The attempt that a moment belongs to: the last one that had begun. */
const attemptAt = (attempts: readonly Attempt[], at: number): Attempt | undefined =>
	attempts.findLast(({ startedAt }) => startedAt <= at) ?? attempts[0];

function runAttributes({ run, plan, sessionId, mode, parentSession, createdAt }: EndedRecord, { redact }: SpanOptions) {
	const { outcome } = run;
	const answered = outcome.model === undefined ? undefined : modelParts(outcome.model);
	const attributes: SpanAttributes = {
		"gen_ai.operation.name": "invoke_agent",
		"gen_ai.provider.name": redact(providerName(answered?.provider ?? plan.model.provider)),
		"gen_ai.agent.name": redact(plan.agent),
		"gen_ai.agent.id": sessionKey(plan.principal.id, sessionId),
		"gen_ai.conversation.id": sessionId,
		"gen_ai.request.model": redact(plan.model.id),
		...(answered && { "gen_ai.response.model": answered.id }),
		...usageAttributes(outcome.usage),
		"pi_geon.run_id": run.id,
		"pi_geon.mode": mode,
		"pi_geon.parent_session": parentSession,
		"pi_geon.status": outcome.status,
		"pi_geon.exit_code": outcome.exitCode,
		"pi_geon.turns": outcome.usage.turns,
		"pi_geon.attempts": outcome.attempts,
		"pi_geon.warnings": outcome.warnings.length,
		"pi_geon.queued_ms": Math.max(0, (run.startedAt ?? run.endedAt) - createdAt),
		...(outcome.status !== "success" && { "error.type": outcome.cause, "pi_geon.error_code": outcome.error.code }),
	};
	return attributes;
}

type SpanOwn = Omit<Span, "traceId" | "spanId" | "parentId" | "traceState" | "link" | "events">;

function attemptSpan(attempt: Attempt, { run, sessionId }: EndedRecord, { redact }: SpanOptions): SpanOwn {
	const { number, hostId, model, startedAt, end, usage } = attempt;
	const cause = end?.cause ?? "unknown";
	const isGood = cause === "finalized";
	return {
		name: `attempt ${number}`,
		kind: "internal",
		startedAt,
		endedAt: Math.max(startedAt, end?.at ?? run.endedAt),
		attributes: {
			"gen_ai.conversation.id": sessionId,
			"pi_geon.attempt": number,
			"pi_geon.host_id": hostId,
			"pi_geon.attempt_cause": cause,
			...(model !== undefined && { "gen_ai.request.model": redact(modelParts(model).id) }),
			...(usage && usageAttributes(usage)),
			...(!isGood && { "error.type": cause }),
		},
		...(!isGood && { failed: { type: cause } }),
	};
}

async function stepSpan(step: TraceStep, { plan, sessionId }: EndedRecord, options: SpanOptions): Promise<SpanOwn> {
	const own = step.kind === "chat" ? chatSpan(step, options) : toolSpan(step, options);
	return {
		...own,
		startedAt: step.startedAt,
		endedAt: step.endedAt,
		attributes: {
			...own.attributes,
			"gen_ai.conversation.id": sessionId,
			"gen_ai.agent.name": options.redact(plan.agent),
			...(own.failed && { "error.type": own.failed.type }),
			...(await options.content?.(step)),
		},
	};
}

function chatSpan(step: ChatStep, { redact }: SpanOptions): Omit<SpanOwn, "startedAt" | "endedAt"> {
	const { provider = "unknown", model = "unknown", responseModel = model, responseId, stopReason, usage } = step;
	const failure = stopReason === "error" ? "provider_error" : stopReason === "aborted" ? "aborted" : undefined;
	return {
		name: `chat ${redact(model)}`,
		kind: "client",
		attributes: {
			"gen_ai.operation.name": "chat",
			"gen_ai.provider.name": redact(providerName(provider)),
			"gen_ai.request.model": redact(model),
			"gen_ai.response.model": redact(responseModel),
			...(responseId !== undefined && { "gen_ai.response.id": responseId.slice(0, MOST_ID_CHARS) }),
			...(stopReason !== undefined && { "gen_ai.response.finish_reasons": [finishReason(redact(stopReason))] }),
			...usageAttributes(usage),
		},
		...(failure !== undefined && { failed: { type: failure } }),
	};
}

/** The provider chooses the ids, and a child with a shell could write anything into its session file as one. */
const MOST_ID_CHARS = 200;

function toolSpan({ name, callId, result }: ToolStep, { redact }: SpanOptions): Omit<SpanOwn, "startedAt" | "endedAt"> {
	const tool = redact(name).slice(0, MOST_ID_CHARS);
	return {
		name: `execute_tool ${tool}`,
		kind: "internal",
		attributes: {
			"gen_ai.operation.name": "execute_tool",
			"gen_ai.tool.name": tool,
			"gen_ai.tool.call.id": callId.slice(0, MOST_ID_CHARS),
			"gen_ai.tool.type": "function",
		},
		...(result !== "good" && { failed: { type: result === "error" ? "tool_error" : "no_result" } }),
	};
}
