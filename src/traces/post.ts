import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { TraceSettings } from "./trace-settings.ts";

/** Together with the pauses in between, well below the time limit for sending a run. */
const POST_TRIES = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_PAUSE_MS = 5000;

/** As OTLP specifies: a retry of any other status would get the same answer. */
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

/** The result. Never contains the request or the collector's answer: both may contain a password. */
export type PostEnd = "sent" | { failed: string };

/** Sends a body to the collector. Never rejects, and stops when the signal fires. */
export async function postSpans(
	body: Uint8Array,
	{ url, headers, gzip }: TraceSettings,
	signal: AbortSignal,
): Promise<PostEnd> {
	let last: PostEnd = { failed: "not tried" };
	for (let attempt = 0; attempt < POST_TRIES && !signal.aborted; attempt++) {
		try {
			const response = await fetch(url, {
				method: "POST",
				headers: {
					...headers,
					"content-type": "application/json",
					...(gzip && { "content-encoding": "gzip" }),
				},
				body: new Uint8Array(gzip ? gzipSync(body) : body),
				signal,
				// The headers are meant only for this server.
				redirect: "manual",
			});
			// An unread body would keep its connection open.
			await response.body?.cancel();
			if (response.ok) return "sent";
			last = { failed: `HTTP ${response.status}` };
			if (!WORTH_ANOTHER_TRY.has(response.status)) return last;
			await waitBefore(attempt, signal, response.headers.get("retry-after"));
		} catch (error) {
			last = { failed: signal.aborted ? "no answer in time" : failureKind(error) };
			if (signal.aborted) return last;
			await waitBefore(attempt, signal, null);
		}
	}
	return last;
}

async function waitBefore(attempt: number, signal: AbortSignal, retryAfter: string | null): Promise<void> {
	const asked = Number(retryAfter) * 1000;
	const wait = asked > 0 ? asked : FIRST_WAIT_MS * 2 ** attempt;
	// The signal ends the pause early, and the loop checks it.
	await pause(Math.min(wait, LONGEST_PAUSE_MS), undefined, { signal, ref: false }).catch(() => {});
}

/** The code, such as ECONNREFUSED, because messages of `fetch` quote addresses and headers. */
function failureKind(error: unknown): string {
	const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
	const code: unknown = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
	if (typeof code === "string" && /^[A-Z_]{1,40}$/.test(code)) return code;
	return cause instanceof Error ? cause.name : "unknown";
}
