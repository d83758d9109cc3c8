import { createHash } from "node:crypto";
import type { RunId, SessionId } from "../run/ids.ts";

/** A finished span, as plain data. Times are milliseconds since 1970. */
export interface Span {
	traceId: string;
	spanId: string;
	/** Absent for the first span of its trace. */
	parentId?: string;
	/** `tracestate` of the trace, if another program began it. */
	traceState?: string;
	name: string;
	kind: "internal" | "client";
	startedAt: number;
	endedAt: number;
	attributes: SpanAttributes;
	/** Absent: it succeeded. */
	failed?: { type: string };
	events: { name: string; at: number; attributes: SpanAttributes }[];
	/** A related span of another trace. */
	link?: { traceId: string; spanId: string };
}

export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/**
 * Ids are digests, so that every export of a run, from any process, has the same spans. A collector that already has them
 * keeps one of each.
 */
export function spanIdsOf({ sessionId, runId }: { sessionId: SessionId; runId: RunId }) {
	const digest = (bytes: number, ...parts: string[]): string =>
		createHash("sha256")
			.update(JSON.stringify(["pi-geon", sessionId, runId, ...parts]))
			.digest("hex")
			.slice(0, bytes * 2);
	return {
		traceId: digest(16, "trace"),
		/** The id of a part of the run: its kind, and what distinguishes it from others of that kind. */
		spanId: (...part: string[]) => digest(8, "span", ...part),
	};
}
