/** The span of the program that started this one, as W3C Trace Context writes it. */
export interface TraceContext {
	/** `traceparent`: 00-<32 hex>-<16 hex>-<2 hex>. */
	parent: string;
	/** `tracestate`: what tracing vendors keep beside it. */
	state?: string;
}

export interface TraceParent {
	traceId: string;
	spanId: string;
	isSampled: boolean;
}

/** Undefined if it is not a traceparent. A newer version may have more fields, which are ignored as the standard says. */
export function readTraceParent(text: string): TraceParent | undefined {
	const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
		/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text.trim()) ?? [];
	if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
	if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
	return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The span that started this process, according to its environment. */
export function traceContextIn(env: Readonly<Record<string, string | undefined>>): TraceContext | undefined {
	const { TRACEPARENT: parent = "", TRACESTATE: state = "" } = env;
	if (!readTraceParent(parent)) return undefined;
	return { parent: parent.trim(), ...(isTraceState(state) && { state }) };
}

const isTraceState = (text: string): boolean => /^[\x20-\x7e]{1,512}$/.test(text);
