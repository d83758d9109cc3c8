import type { TraceEnvironment } from "./wanted.ts";

/** Where spans go, from OpenTelemetry's variables. */
export interface TraceSettings {
	url: string;
	headers: Record<string, string>;
	/** For one run, retries included. */
	timeoutMs: number;
	gzip: boolean;
}

const USUAL_TIMEOUT_MS = 10_000;
const LONGEST_TIMEOUT_MS = 60_000;

/** The settings, or their problem. A problem never quotes a value, which may be a password. */
export function traceSettings(env: TraceEnvironment): TraceSettings | { problem: string } {
	const protocol = ofTraces(env, "PROTOCOL");
	if (protocol === "grpc")
		return { problem: "only OTLP over HTTP is supported: set OTEL_EXPORTER_OTLP_PROTOCOL to http/json" };
	const url = tracesUrl(env);
	if (url === undefined) return { problem: "the endpoint is not an http or https address without a password" };
	const headers = headersIn(ofTraces(env, "HEADERS") ?? "");
	if (!headers) return { problem: "OTEL_EXPORTER_OTLP_HEADERS contains something that is not a header" };
	const timeoutMs = Number(ofTraces(env, "TIMEOUT")) || USUAL_TIMEOUT_MS;
	return {
		url,
		headers,
		timeoutMs: Math.min(Math.max(1, timeoutMs), LONGEST_TIMEOUT_MS),
		gzip: ofTraces(env, "COMPRESSION") === "gzip",
	};
}

/** Whether messages, arguments and results may be sent too. Otherwise, the spans contain no text of users or models. */
export const capturesContent = (env: TraceEnvironment): boolean =>
	["true", "span_only", "span_and_event"].includes(
		(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? "").trim().toLowerCase(),
	);

/** The resource that the spans come from. */
export function traceResource(env: TraceEnvironment): Record<string, string> {
	const named = env.OTEL_SERVICE_NAME ? { "service.name": env.OTEL_SERVICE_NAME } : {};
	return { "service.name": "pi-geon", ...Object.fromEntries(pairsIn(env.OTEL_RESOURCE_ATTRIBUTES ?? "")), ...named };
}

/** The variable for traces takes precedence over the one for all signals. An empty one counts as unset. */
const ofTraces = (env: TraceEnvironment, name: string): string | undefined =>
	env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim() || undefined;

/** The endpoint for traces is used as it is. The one for all signals is the prefix of each signal's address. */
function tracesUrl(env: TraceEnvironment): string | undefined {
	const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
	const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() ?? "";
	const url = URL.parse(own || shared);
	if (!url || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "")
		return undefined;
	if (!own) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
	return url.href;
}

/** Undefined if one of them cannot be sent. */
function headersIn(text: string): Record<string, string> | undefined {
	const pairs = pairsIn(text);
	const areHeaders = pairs.every(
		([name, value]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
	);
	return areHeaders ? Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])) : undefined;
}

/** `name=value,name=value`, with special characters percent-encoded. */
const pairsIn = (text: string): [string, string][] =>
	text.split(",").flatMap((pair): [string, string][] => {
		const equals = pair.indexOf("=");
		const name = pair.slice(0, equals).trim();
		return equals === -1 || name === "" ? [] : [[name, percentDecoded(pair.slice(equals + 1).trim())]];
	});

function percentDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// It is not percent-encoded after all.
		return text;
	}
}
