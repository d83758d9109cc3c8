import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { environmentSecrets } from "../../src/collect/redact/credential-env.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { entriesOfRun } from "../../src/ledger/entries-of-run.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import type { Attempt } from "../../src/run/attempt.ts";
import { readTraceParent, traceContextIn } from "../../src/run/trace-context.ts";
import { profileOf } from "../../src/supervise/profile.ts";
import { redactedContent } from "../../src/traces/content.ts";
import { otlpJson } from "../../src/traces/serialize.ts";
import { spansOfRun } from "../../src/traces/spans-of-run.ts";
import { capturesContent, traceResource, traceSettings } from "../../src/traces/trace-settings.ts";
import { tracesWanted } from "../../src/traces/wanted.ts";
import { spansIn } from "../helpers/collector.ts";
import { stagedPackage } from "../helpers/repository.ts";
import { admission } from "../ledger/samples.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const SECRET = "zx81-correct-horse-battery-staple";
const redactor = createRedactor({ secrets: [SECRET], homeDir: "/home/somebody" });

const { plan } = admission({});

/** A run from 1,000 to 9,000, admitted at 500. */
function ended(fields: Partial<EndedRecord> = {}, trace?: { parent: string; state?: string }): EndedRecord {
	return {
		run: {
			id: "a1b2c3d4",
			state: "ended",
			attempt: 1,
			maxAttempts: 2,
			fence: 1,
			startedAt: 1000,
			endedAt: 9000,
			delivery: { state: "owed" },
			outcome: {
				status: "error",
				cause: "timeout",
				exitCode: 124,
				error: { code: "SUBAGENT_TIMEOUT", message: `It was slow, says ${SECRET}.` },
				usage: { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, cost: 0.25, turns: 2 },
				displayItems: [],
				attempts: 1,
				model: "google/gemini/flash",
				warnings: [],
			},
		},
		seq: 1,
		sessionId: plan.session.id,
		parentSession: "parent",
		mode: "foreground",
		profile: { digest: "p" },
		plan: { ...plan, ...(trace && { trace }) },
		usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 0 },
		createdAt: 500,
		...fields,
	} as unknown as EndedRecord;
}

let count = 0;
const entry = (at: number | string, message: object): SessionEntry =>
	({
		type: "message",
		id: `e${++count}`,
		parentId: null,
		timestamp: typeof at === "number" ? new Date(at).toISOString() : at,
		message,
	}) as unknown as SessionEntry;
const answer = (at: number | string, began: unknown, content: unknown[], more: object = {}) =>
	entry(at, {
		role: "assistant",
		content,
		provider: "google",
		model: "flash",
		timestamp: began,
		stopReason: "toolUse",
		...more,
	});
const call = (id: string, name: string, args: object = {}) => ({ type: "toolCall", id, name, arguments: args });
const result = (at: number | string, toolCallId: string, text: string, isError = false) =>
	entry(at, { role: "toolResult", toolCallId, toolName: "x", content: [{ type: "text", text }], isError });

const spans = (record: EndedRecord, entries: SessionEntry[], attempts: Attempt[] = []) =>
	spansOfRun({ record, attempts, entries }, { redact: redactor.redact });

test("a failed run: its cause is the type of its error, and no text of a user or a model is sent", async () => {
	const all = await spans(ended(), [
		entry(1100, { role: "user", content: "The task." }),
		answer(2000, 1500, [{ type: "text", text: "Words." }, call("c1", "bash"), call("c2", "read"), call("c3", "ls")]),
		result(3000, "c1", "Said by a tool."),
		result(3500, "c2", "No such file.", true),
		answer(4000, 3600, [], { stopReason: "error", errorMessage: "The provider said no." }),
	]);
	expect(all.map(({ name, failed, startedAt, endedAt }) => [name, failed?.type, startedAt, endedAt])).toEqual([
		["invoke_agent scout", "timeout", 500, 9000],
		["chat flash", undefined, 1500, 2000],
		["execute_tool bash", undefined, 2000, 3000],
		["execute_tool read", "tool_error", 2000, 3500],
		["execute_tool ls", "no_result", 2000, 9000],
		["chat flash", "provider_error", 3600, 4000],
	]);
	expect(all[0]?.attributes).toMatchObject({
		"error.type": "timeout",
		"gen_ai.provider.name": "gcp.gemini",
		"gen_ai.response.model": "gemini/flash",
		"gen_ai.usage.input_tokens": 15,
		"gen_ai.usage.cache_read.input_tokens": 3,
		"gen_ai.usage.cache_creation.input_tokens": 2,
		"pi_geon.cost_usd": 0.25,
		"pi_geon.queued_ms": 500,
	});
	expect(JSON.stringify(all)).not.toMatch(/Words|Said|task\.|No such|said no|slow/);
});

test("messages, arguments and results are sent if the user asks for them, redacted and shortened", async () => {
	const traced = {
		record: ended(),
		attempts: [],
		entries: [
			entry(1100, { role: "user", content: `Find ${SECRET}.` }),
			answer(2000, 1500, [{ type: "text", text: "Looking." }, call("c1", "bash", { command: `echo ${SECRET}` })]),
			result(3000, "c1", "y".repeat(5_000_000)),
		],
	};
	const all = await spansOfRun(traced, { redact: redactor.redact, content: redactedContent(redactor) });
	const [, chat, tool] = all;
	expect(JSON.parse(String(chat?.attributes["gen_ai.input.messages"]))).toMatchObject([
		{ role: "user", parts: [{ type: "text", content: expect.stringMatching(/^Find .*\.$/) }] },
	]);
	expect(chat?.attributes["gen_ai.output.messages"]).toContain("Looking.");
	expect(tool?.attributes["gen_ai.tool.call.arguments"]).toContain("echo ");
	expect(tool?.attributes["gen_ai.tool.call.result"]).toMatch(/^y+… \(\d+ more characters\)$/);
	expect(JSON.stringify(all)).not.toContain(SECRET);
	expect(JSON.stringify(all).length).toBeLessThan(50_000);
});

test("what a child wrote into its session file stays inside of its run, and is bounded", async () => {
	const all = await spans(ended(), [
		answer("not a time", "nor this", [call("c1", "x".repeat(1_000_000))], {
			usage: { input: -5, output: "many" },
			model: 7,
		}),
		answer("2999-01-01T00:00:00Z", 4e15, [call("c1", "twice")]),
		...Array.from({ length: 6000 }, () => answer(2000, 2000, [])),
	]);
	expect(all.length).toBe(5001);
	expect(all[0]?.attributes["pi_geon.spans_left_out"]).toBe(6004 - 5000);
	expect(all.every(({ startedAt, endedAt }) => startedAt >= 500 && startedAt <= endedAt && endedAt <= 9000)).toBe(true);
	expect(Math.max(...all.map(({ name }) => name.length))).toBeLessThan(300);
	expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
});

test("whose child a run is: in the foreground the asker's, unless that is not recorded; otherwise a linked root", async () => {
	const trace = { parent: PARENT, state: "vendor=1" };
	const [child] = spansIn(
		new TextDecoder().decode(otlpJson(await spans(ended({}, trace), []), { "service.name": "x" })),
	);
	expect(child).toMatchObject({
		traceId: PARENT.slice(3, 35),
		parentSpanId: PARENT.slice(36, 52),
		traceState: "vendor=1",
	});
	expect(await spans(ended({}, { parent: PARENT.replace(/01$/, "00") }), [])).toEqual([]);
	const [root] = await spans(ended({ mode: "background" }, trace), []);
	expect(root).toMatchObject({ link: { traceId: PARENT.slice(3, 35), spanId: PARENT.slice(36, 52) } });
	expect(root).not.toHaveProperty("parentId");
	const [alone] = await spans(ended(), []);
	expect(alone?.traceId).toBe(root?.traceId);
	expect(alone).not.toHaveProperty("link");
});

test("a session that was continued: each run has what was said in its own time", () => {
	const entries = [answer(100, 90, []), answer(1500, 1400, []), answer("no time", 0, []), answer(9500, 9400, [])];
	const time = { isOnly: false, startedAt: 1000, endedAt: 9000 };
	expect(entriesOfRun(entries, time)).toEqual(entries.slice(1, 3));
	expect(entriesOfRun(entries, { ...time, isOnly: true })).toEqual(entries);
	expect(entriesOfRun(entries, { ...time, startedAt: undefined })).toEqual([]);
});

test("the variables of OpenTelemetry mean what its specification says", () => {
	const shared = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/base/" };
	expect(traceSettings(shared)).toMatchObject({ url: "https://collector.example/base/v1/traces", timeoutMs: 10_000 });
	const own = { ...shared, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1/as/it/is" };
	const headers = {
		OTEL_EXPORTER_OTLP_HEADERS: `a=1`,
		OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=Bearer%20${SECRET}, x-b=2`,
		OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
	};
	expect(traceSettings({ ...own, ...headers })).toMatchObject({
		url: "http://127.0.0.1:1/as/it/is",
		headers: { authorization: `Bearer ${SECRET}`, "x-b": "2" },
		gzip: true,
	});
	for (const wrong of [
		{ OTEL_EXPORTER_OTLP_ENDPOINT: `ftp://${SECRET}` },
		{ OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${SECRET}@x` },
		{ ...shared, OTEL_EXPORTER_OTLP_HEADERS: `a=${SECRET}%0a` },
		{ ...shared, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
	]) {
		expect(traceSettings(wrong)).toEqual({ problem: expect.not.stringContaining(SECRET) });
	}
	expect(environmentSecrets(headers)).toContain(SECRET);
	const resource = { OTEL_RESOURCE_ATTRIBUTES: "service.name=a,team=b%20c", OTEL_SERVICE_NAME: "mine" };
	expect(traceResource(resource)).toEqual({ "service.name": "mine", team: "b c" });
	expect(tracesWanted(shared)).toBe(true);
	expect(tracesWanted({})).toBe(false);
	expect(tracesWanted({ ...shared, OTEL_SDK_DISABLED: "true" })).toBe(false);
	expect(tracesWanted({ ...shared, OTEL_TRACES_EXPORTER: "none" })).toBe(false);
	expect(capturesContent({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "True" })).toBe(true);
	expect(capturesContent({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "no_content" })).toBe(false);
});

test("a pi in another span has the same hosts, and one with another collector has not", () => {
	const profile = (env: Record<string, string>) =>
		profileOf({ command: ["node"], piVersion: "1", agentDir: "/a", hostEntry: "/nowhere", env });
	const here = profile({ TRACEPARENT: PARENT, TRACESTATE: "a=1" });
	expect(here.digest).toBe(profile({}).digest);
	expect(here.env).not.toHaveProperty("TRACEPARENT");
	expect(profile({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://x" }).digest).not.toBe(here.digest);
	expect(traceContextIn({ TRACEPARENT: ` ${PARENT}\n`, TRACESTATE: "bad\n" })).toEqual({ parent: PARENT });
	for (const wrong of [
		"",
		"00-abc",
		PARENT.toUpperCase(),
		`ff${PARENT.slice(2)}`,
		`00-${"0".repeat(32)}${PARENT.slice(35)}`,
	]) {
		expect(readTraceParent(wrong)).toBeUndefined();
	}
});

test("only one file of the package makes spans, and no other loads it by itself", () => {
	const dist = join(stagedPackage(), "dist");
	const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
	const text = (file: string) => readFileSync(join(dist, file), "utf8");
	expect(files.filter((file) => text(file).includes("resourceSpans"))).toEqual(["traces.js"]);
	const naming = files.filter((file) => text(file).includes("traces.js"));
	expect(naming.length).toBeGreaterThan(1);
	for (const file of naming) expect(text(file)).not.toMatch(/(?:from|import)\s*"[^"]*traces\.js"/);
});
