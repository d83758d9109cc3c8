import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import type { RecordedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { cut, delay, httpError, type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually } from "./ledger-of.ts";

const { openHome, promptPi, newSession } = useSharedPi();

/** As Anthropic says it. */
const overloaded = httpError(529, {
	body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
});
const looking = [text("I found a clue."), toolCall("ls", { path: "." })];
const success = finalize("All is well.");
/** A request and pi's own three retries of it. */
const PIS_TRIES = 4;
const times = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

interface Setup {
	pi: PiVersion;
	/** The child's turns in order of its requests, whatever the conversation says. The last is repeated. */
	child: (Reply | "kill")[];
	subagents?: object;
	/** pi's settings on retries; backoff in tests begins at 20 ms. */
	retry?: object;
}

async function homeWith({ pi, child, subagents, retry }: Setup): Promise<Home> {
	let asked = 0;
	const home: Home = await openHome({
		pi,
		config: { subagents: { ...subagents } },
		settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 20, ...retry } },
		script: dispatch({
			parent: [delegateTo("explorer", "Do it."), text("Done.")],
			child: () => {
				const turn = child[Math.min(asked++, child.length - 1)];
				if (turn !== "kill") return turn ?? [];
				killHostsAtWork(home);
				return [delay(100)];
			},
		}),
	});
	return home;
}

async function delegated(setup: Setup): Promise<{ details: SubagentDetails | undefined; asked: RecordedRequest[] }> {
	const home = await homeWith(setup);
	const run = await promptPi(home, "Go.");
	return { details: delegations(run)[0], asked: childRequests(home) };
}

const childRequests = (home: Home) => home.model.requests.filter((request) => request.isChild);
const toolResultsIn = (request: RecordedRequest | undefined) => request?.toolResults.length;

describe.each(somePi(import.meta.url))(
	"retries are pi's own, as in the parent; attempts are those of the run, pi %s",
	(pi) => {
		test("two 529s and then an answer: one attempt", async () => {
			const { details, asked } = await delegated({ pi, child: [overloaded, overloaded, success] });
			expect(details?.results[0]).toMatchObject({ exitCode: 0, attempts: 1, output: "All is well." });
			expect(asked).toHaveLength(3);
		});

		test("an answer that breaks off in the middle is written again: one attempt", async () => {
			const { details } = await delegated({ pi, child: [[text("I was just saying"), cut()], success] });
			expect(details?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
		});

		test("each request has its own retries", async () => {
			const child = [...times(3, overloaded), looking, ...times(3, overloaded), success];
			expect((await delegated({ pi, child })).details?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
		});

		test("where they run out, the next attempt continues in the same session, without repeating a tool call", async () => {
			const child = [looking, ...times(PIS_TRIES, overloaded), success];
			const { details, asked } = await delegated({ pi, child });
			expect(details?.results[0]).toMatchObject({
				exitCode: 0,
				attempts: 2,
				output: "All is well.",
				usage: { turns: 2 },
			});
			expect(asked).toHaveLength(child.length);
			expect(asked.at(-1)?.firstUserText).toBe("Do it.");
			expect(asked.at(-1)?.lastUserText).toContain("The model provider failed");
			expect(asked.slice(1).map(toolResultsIn)).toEqual(times(PIS_TRIES + 1, "").map(() => 1));
		});

		test("a provider that stays overloaded uses up the attempts, and the run fails with what it had found", async () => {
			const { details, asked } = await delegated({ pi, child: [looking, overloaded] });
			expect(details?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "provider" });
			expect(details?.results[0]).toMatchObject({ exitCode: 1, attempts: 2, output: "I found a clue." });
			expect(asked).toHaveLength(1 + 2 * PIS_TRIES);
		});

		test("attempts outlive the host: one for the provider, one for the death of the host, none left", async () => {
			const { details } = await delegated({ pi, child: [...times(PIS_TRIES, overloaded), "kill"] });
			expect(details?.error).toMatchObject({ reason: "lost" });
			expect(details?.results[0]).toMatchObject({ exitCode: 1, attempts: 2 });
		});

		test("retry.enabled false: one attempt, and pi's own retries stay", async () => {
			const subagents = { retry: { enabled: false } };
			const child = [...times(3, overloaded), looking, overloaded];
			const { details, asked } = await delegated({ pi, subagents, child });
			expect(details?.results[0]).toMatchObject({ exitCode: 1, attempts: 1, output: "I found a clue." });
			expect(asked).toHaveLength(4 + PIS_TRIES);
		});

		test("retries switched off in pi's settings are off in the child: the next request is the next attempt", async () => {
			const { details, asked } = await delegated({ pi, retry: { enabled: false }, child: [overloaded, success] });
			expect(details?.results[0]).toMatchObject({ exitCode: 0, attempts: 2 });
			expect(asked).toHaveLength(2);
		});

		test.each([
			["401", httpError(401, { body: '{"error":{"message":"invalid x-api-key","type":"authentication_error"}}' }), 1],
			[
				"a context that is too long",
				httpError(400, { body: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}' }),
				1,
			],
			[
				"a quota that is used up",
				httpError(429, { body: '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}' }),
				1,
			],
			// pi goes by the words and asks again, as in the parent. The run goes by the status.
			[
				"400 with the words of a passing failure",
				httpError(400, { body: '{"error":{"message":"no such thing, see page 500"}}' }),
				PIS_TRIES,
			],
		])("no attempt follows on %s", async (_name, refused, requests) => {
			const { details, asked } = await delegated({ pi, child: [refused, refused, refused, refused, success] });
			expect(details?.error).toMatchObject({ reason: "provider" });
			expect(details?.results[0]).toMatchObject({ exitCode: 1, attempts: 1 });
			expect(asked).toHaveLength(requests);
		});

		test("an attempt follows on a status, whatever the words", async () => {
			const unworded = httpError(529, { body: '{"error":{"message":"Mercury is in retrograde"}}' });
			expect((await delegated({ pi, child: [unworded, success] })).details?.results[0]).toMatchObject({
				exitCode: 0,
				attempts: 2,
			});
		});

		test("the idle limit does not end a run during pi's backoff", async () => {
			const { details } = await delegated({
				pi,
				retry: { baseDelayMs: 4000 },
				subagents: { idleTimeoutMs: 3000 },
				child: [overloaded, success],
			});
			expect(details?.results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
		});

		test("a stop during the backoff ends the run at once", async () => {
			const home = await homeWith({
				pi,
				retry: { baseDelayMs: 600_000, maxAgentDelayMs: 600_000 },
				child: [overloaded],
			});
			const rpc = await newSession(home);
			await rpc.prompt("Go.");
			await eventually(() => expect(hostLogs(home)).toContain("asks the model again"));
			await rpc.send({ type: "abort" });
			const ended = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
			const { details } = ended.result as { details: SubagentDetails };
			expect(details.error).toMatchObject({ reason: "stopped" });
			expect(details.results[0]).toMatchObject({ exitCode: 130, attempts: 1 });
			expect(childRequests(home)).toHaveLength(1);
		});
	},
);

function hostLogs(home: Home): string {
	const folder = join(home.agentDir, "pi-geon", "hosts");
	const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
	return logs.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}
