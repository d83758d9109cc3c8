import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Span } from "./span.ts";

type SdkSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

const SPAN_KINDS = { internal: 0, client: 2 } as const;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
const SAMPLED = 1;
const SCOPE = { name: "pi-geon" };

/** The body of a request to a collector: OTLP as JSON. */
export function otlpJson(spans: readonly Span[], resource: Record<string, string>): Uint8Array {
	const from: SdkSpan["resource"] = {
		attributes: resource,
		merge: () => from,
		getRawAttributes: () => Object.entries(resource),
	};
	return JsonTraceSerializer.serializeRequest(spans.map((span) => sdkSpan(span, from))) ?? new Uint8Array();
}

/** A span in the form of an SDK's spans. No SDK made it, because theirs live in one process, and a run may change hosts. */
function sdkSpan(span: Span, resource: SdkSpan["resource"]): SdkSpan {
	const { traceId, traceState, startedAt, endedAt, failed, link } = span;
	const state = traceState === undefined ? {} : { traceState: asTraceState(traceState) };
	const context = (spanId: string) => ({ traceId, spanId, traceFlags: SAMPLED, ...state });
	return {
		name: span.name,
		kind: SPAN_KINDS[span.kind],
		spanContext: () => context(span.spanId),
		...(span.parentId !== undefined && { parentSpanContext: context(span.parentId) }),
		startTime: highResolution(startedAt),
		endTime: highResolution(endedAt),
		duration: highResolution(endedAt - startedAt),
		status: failed ? { code: STATUS_ERROR, message: failed.type } : { code: STATUS_UNSET },
		attributes: span.attributes,
		links: link ? [{ context: { ...link, traceFlags: SAMPLED } }] : [],
		events: span.events.map(({ name, at, attributes }) => ({ name, time: highResolution(at), attributes })),
		ended: true,
		resource,
		instrumentationScope: SCOPE,
		droppedAttributesCount: 0,
		droppedEventsCount: 0,
		droppedLinksCount: 0,
	};
}

const highResolution = (ms: number): [seconds: number, nanos: number] => [
	Math.floor(ms / 1000),
	Math.round((ms % 1000) * 1e6),
];

/** Passes the text on unchanged. */
const asTraceState = (text: string) => {
	const state = { serialize: () => text, get: () => undefined, set: () => state, unset: () => state };
	return state;
};
