import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { type Collector, type ReceivedSpan, spansIn, startCollector } from "../helpers/collector.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, piVersions, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually } from "./ledger-of.ts";

const openHome = useHome();
const collectors: Collector[] = [];
afterEach(() => Promise.all(collectors.splice(0).map((collector) => collector.close())));

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ASKER = "b7ad6b7169203331";
const KEY = "zx81-correct-horse-battery-staple";

async function collecting(options: { hangs?: boolean } = {}) {
	const collector = await startCollector(options);
	collectors.push(collector);
	const env = {
		OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
		OTEL_EXPORTER_OTLP_HEADERS: `x-team-key=${KEY}`,
		TRACEPARENT: `00-${TRACE}-${ASKER}-01`,
	};
	return { collector, env };
}

/** All that any process of a home has logged. */
const logsOf = ({ agentDir }: Home): string =>
	readdirSync(join(agentDir, "pi-geon"), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".log"))
		.map((file) => readFileSync(join(agentDir, "pi-geon", file), "utf8"))
		.join("\n");

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
const ids = (spans: readonly ReceivedSpan[]) => spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort();

describe.each(piVersions)("traces on pi %s", (version) => {
	test("of runs in the foreground, in the background, and on two hosts reach the collector, the same each time", async () => {
		const { collector, env } = await collecting();
		let asked = 0;
		const home: Home = await openHome({
			pi: version,
			agents: { "scout.md": agentNamed("scout", "You look around.", "tools: read, ls") },
			files: { "a.txt": "marzipan" },
			env,
			script: dispatch({
				parent: [
					// First, so that the host that is killed has nothing else to send.
					delegateTo("scout", "Survive."),
					delegateTo("scout", "Look twice."),
					toolCall("sessions_spawn", { agent: "scout", task: "Look behind." }),
					text("Done."),
				],
				child: ({ firstUserText, lastMessage }) => {
					if (firstUserText.includes("behind")) return finalize("Behind.");
					const isTwice = firstUserText.includes("twice");
					if (!isTwice && asked > 0) return finalize("Survived.");
					if (lastMessage?.role !== "tool") return toolCall("ls", { path: "." });
					if (isTwice) {
						return JSON.stringify(lastMessage.content).includes("marzipan")
							? finalize("Twice.")
							: toolCall("read", { path: "a.txt" });
					}
					asked++;
					killHostsAtWork(home);
					return [delay(100)];
				},
			}),
		});
		const run = await promptPi(home, "Go.", { version });
		// pi -p may say that it waits for the background run.
		expect(run.stderr.replace(/^pi-geon: waiting for .*\n/gm, "")).toBe("");
		const runs = () => named(collector.spans, "invoke_agent scout");
		await eventually(() => expect(runs()).toHaveLength(3));
		const [survived, twice] = delegations(run).map(({ runId }) => {
			const span = runs().find(({ attributes }) => attributes["pi_geon.run_id"] === runId);
			if (!span) throw new Error(`No span of run ${runId}`);
			return span;
		});
		const behind = runs().find(({ attributes }) => attributes["pi_geon.mode"] === "background");
		if (!twice || !survived || !behind) throw new Error("A run has no span");
		expect(collector.received[0]).toMatchObject({ path: "/v1/traces", headers: { "x-team-key": KEY } });

		// In the foreground: a child of the span that pi was started in, with its turns and tools below it.
		expect(twice).toMatchObject({ traceId: TRACE, parentSpanId: ASKER, resource: { "service.name": "pi-geon" } });
		expect(twice.attributes).toMatchObject({
			"gen_ai.operation.name": "invoke_agent",
			"gen_ai.provider.name": "scripted",
			"gen_ai.agent.name": "scout",
			"gen_ai.request.model": "parent",
			"gen_ai.response.model": "parent",
			"gen_ai.usage.input_tokens": expect.any(Number),
			"pi_geon.cost_usd": expect.any(Number),
			"pi_geon.status": "success",
			"pi_geon.attempts": 1,
		});
		const below = (parent: ReceivedSpan) =>
			collector.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
		const sums = below(twice).map(({ attributes }) => Number(attributes["gen_ai.usage.output_tokens"] ?? 0));
		expect(sums.reduce((a, b) => a + b)).toBe(twice.attributes["gen_ai.usage.output_tokens"]);
		expect(below(twice).map(({ name }) => name)).toEqual([
			...["chat parent", "execute_tool ls", "chat parent", "execute_tool read"],
			...["chat parent", "execute_tool subagent_finalize"],
		]);
		for (const span of below(twice)) {
			expect(span.traceId).toBe(TRACE);
			const times = [twice.startTimeUnixNano, span.startTimeUnixNano, span.endTimeUnixNano, twice.endTimeUnixNano];
			expect(times.map(BigInt)).toEqual(times.map(BigInt).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
		}
		expect(named(below(twice), "execute_tool read")[0]?.attributes).toMatchObject({
			"gen_ai.tool.name": "read",
			"gen_ai.tool.call.id": expect.stringMatching(/./),
			"gen_ai.conversation.id": twice.attributes["gen_ai.conversation.id"],
		});

		// In the background: a trace of its own, linked to that span.
		expect(behind.traceId).not.toBe(TRACE);
		expect(behind).not.toHaveProperty("parentSpanId");
		expect(behind.links).toMatchObject([{ traceId: TRACE, spanId: ASKER }]);

		// On two hosts: each attempt is a span, with what was done in it below.
		const attempts = below(survived);
		expect(attempts.map(({ name }) => name)).toEqual(["attempt 1", "attempt 2"]);
		expect(attempts.map(({ attributes }) => attributes["pi_geon.attempt_cause"])).toEqual(["host_lost", "finalized"]);
		expect(new Set(attempts.map(({ attributes }) => attributes["pi_geon.host_id"])).size).toBe(2);
		expect(attempts.map(({ status }) => status.message)).toEqual(["host_lost", undefined]);
		expect(attempts.map((attempt) => below(attempt).map(({ name }) => name))).toEqual([
			["chat parent", "execute_tool ls"],
			["chat parent", "execute_tool subagent_finalize"],
		]);

		// Nothing that anybody wrote, unless it is asked for; and the key is in no log.
		const sent = collector.received.map(({ body }) => body).join("\n");
		for (const word of ["marzipan", "Look", "Twice", KEY]) expect(sent).not.toContain(word);
		await eventually(() => expect(logsOf(home).match(/"traces sent"/g)).toHaveLength(3));
		expect(logsOf(home)).not.toContain(KEY);

		// Another process that exports them makes the same spans.
		for (const span of [twice, behind, survived]) {
			const again = await piGeon(home, ["export", String(span.attributes["pi_geon.run_id"]), "--otlp"], {
				env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" },
			});
			const ofRun = collector.spans.filter(
				({ attributes }) => attributes["gen_ai.conversation.id"] === span.attributes["gen_ai.conversation.id"],
			);
			expect(ids(spansIn(again.stdout))).toEqual(ids(ofRun));
			expect(again.stdout).toMatch(/gen_ai\.output\.messages.*(Twice|Behind|Survived)/);
		}
	});
});

test("a collector that hangs keeps no outcome from its caller, and no host from leaving", async () => {
	const { collector, env } = await collecting({ hangs: true });
	const home = await openHome({
		pi: ANY_PI,
		env: { ...env, PI_GEON_HOST_IDLE_MS: "100", OTEL_EXPORTER_OTLP_TIMEOUT: "60000" },
		script: dispatch({ parent: [delegateTo("explorer", "Look."), text("Done.")], child: [finalize("Seen.")] }),
	});
	const run = await promptPi(home, "Go.");
	expect(delegations(run)[0]?.results[0]).toMatchObject({ exitCode: 0, output: "Seen." });
	await eventually(() => expect(collector.received).toHaveLength(1));
	// The connection is never answered: the host gives it up when it leaves.
	await eventually(() => expect(logsOf(home)).toContain('"traces are not sent"'));
	const logs = logsOf(home);
	expect(logs.indexOf('"ended"')).toBeLessThan(logs.indexOf('"traces are not sent"'));
	expect(logs).not.toContain(KEY);
});
