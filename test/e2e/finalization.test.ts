import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Script } from "../helpers/model.ts";
import type { RecordedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const { openHome, promptPi } = useSharedPi();

interface Delegated {
	details: SubagentDetails | undefined;
	/** What the child's model was asked, request by request. */
	asked: RecordedRequest[];
	text: string;
}

const COUNTER = agentNamed(
	"counter",
	"You count.",
	"tools: read\noutputSchema: { type: object, required: [count], properties: { count: { type: integer } } }",
);

async function delegated(child: Script | readonly Reply[], agent = "explorer"): Promise<Delegated> {
	const home = await openHome({
		script: dispatch({ parent: [delegateTo(agent, "Count the files."), text("Done.")], child }),
		agents: { "counter.md": COUNTER },
	});
	const run = await promptPi(home, "Go.");
	return {
		details: delegations(run)[0],
		asked: home.model.requests.filter((request) => request.isChild),
		text: run.toolResults[0]?.text ?? run.stderr,
	};
}

/** What the model is told last, whether as a message or as the answer of a tool. */
const lastHeard = (request: RecordedRequest | undefined) => request?.toolResults.at(-1)?.text ?? "";

describe("a child returns its answer with subagent_finalize", () => {
	test("at once: one model call, and no other after it", async () => {
		const { details, asked } = await delegated([finalize("Three files.")]);
		expect(details).toMatchObject({
			finalized: { status: "SUCCESS", result: "Three files." },
			results: [{ exitCode: 0 }],
		});
		expect(asked).toHaveLength(1);
	});

	test("it answers in text, is told so in the same session, and finalizes", async () => {
		const { details, asked } = await delegated([text("There are three."), finalize("Three files.")]);
		expect(details).toMatchObject({ finalized: { result: "Three files." }, results: [{ exitCode: 0, attempts: 1 }] });
		expect(asked).toHaveLength(2);
		expect(asked[1]?.lastUserText).toContain("You stopped without a valid call of subagent_finalize");
		expect(JSON.stringify(asked[1]?.messages)).toContain("There are three.");
	});

	test("it never finalizes: two corrections, then a failure with its last words", async () => {
		const { details, asked, text: shown } = await delegated(({ turn }) => text(`Answer number ${turn + 1}.`));
		expect(asked).toHaveLength(3);
		expect(details?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "not_finalized" });
		expect(details?.finalized).toBeUndefined();
		expect(details?.results[0]).toMatchObject({ exitCode: 1, output: "Answer number 3." });
		expect(shown).toMatch(/^\*\*Status:\*\* ERROR\n\*\*Session ID:\*\* `[0-9a-f-]{36}`\n\n---\n\n/);
		expect(shown).toMatch(/Partial output:\n<(report-[0-9a-f]{16})>\nAnswer number 3\.\n<\/\1>\n/);
	});

	test("SUCCESS with an empty result is answered with what is wrong, and is then fixed", async () => {
		const { details, asked } = await delegated([finalize("  "), finalize("Three files.")]);
		expect(lastHeard(asked[1])).toContain("status SUCCESS needs a non-empty `result`");
		expect(details).toMatchObject({ finalized: { result: "Three files." }, results: [{ exitCode: 0 }] });
	});

	test("ERROR with partial findings is a failure that carries both", async () => {
		const { details, text: shown } = await delegated([
			toolCall("subagent_finalize", { status: "ERROR", error: "No access to src.", result: "At least two." }),
		]);
		expect(details).toMatchObject({
			finalized: { status: "ERROR", error: "No access to src.", result: "At least two." },
			results: [{ exitCode: 1, output: "At least two.", error: "No access to src." }],
			error: { code: "SUBAGENT_FAILED", reason: "reported_error" },
		});
		expect(shown).toContain("No access to src.");
		expect(shown).toContain("At least two.");
	});

	test("ERROR without an error is answered with what is wrong", async () => {
		const { asked, details } = await delegated([
			toolCall("subagent_finalize", { status: "ERROR" }),
			toolCall("subagent_finalize", { status: "ERROR", error: "Too dark." }),
		]);
		expect(lastHeard(asked[1])).toContain("status ERROR needs a non-empty `error`");
		expect(details?.finalized).toEqual({ status: "ERROR", error: "Too dark." });
	});

	test("together with another tool it does not count: the child has not seen what came of that", async () => {
		const { details, asked } = await delegated([
			[toolCall("ls", { path: "." }), finalize("Done, I guess.")],
			finalize("Three files."),
		]);
		expect(asked[1]?.toolResults.map((result) => result.text).join("\n")).toContain("together with ls");
		expect(details?.finalized).toEqual({ status: "SUCCESS", result: "Three files." });
	});

	test("twice in one message: the first counts, and the model is not asked again", async () => {
		const { details, asked } = await delegated([[finalize("Three files."), finalize("Four files.")]]);
		expect(details?.finalized).toEqual({ status: "SUCCESS", result: "Three files." });
		expect(asked).toHaveLength(1);
	});
});

describe("an agent with an output schema", () => {
	test("gets errors with their paths until the result satisfies it, and the value is in the details", async () => {
		const { details, asked } = await delegated(
			[finalize("three"), finalize('{"count":"three"}'), finalize('{"count":3}')],
			"counter",
		);
		expect(asked[0]?.systemText).toContain('"required":["count"]');
		expect(lastHeard(asked[1])).toContain("`result` must be JSON text");
		expect(lastHeard(asked[2])).toContain("/count: must be integer");
		expect(details?.finalized).toEqual({ status: "SUCCESS", result: '{"count":3}', value: { count: 3 } });
	});

	test("hands the value to scripts where pi can pass it on", async () => {
		const home = await openHome({
			pi: "1.5.0",
			script: dispatch({
				parent: [delegateTo("counter", "Count the files."), text("Done.")],
				child: [finalize('{"count":3}')],
			}),
			agents: { "counter.md": COUNTER },
		});
		const run = await promptPi(home, "Go.");
		const ended = run.events.find((event) => event.type === "tool_execution_end");
		expect(ended?.result).toMatchObject({
			structuredContent: { status: "SUCCESS", output: '{"count":3}', value: { count: 3 } },
		});
	});

	test("that it never meets: a failure, with the last result as partial output", async () => {
		const { details, asked } = await delegated(() => finalize('{"count":"many"}'), "counter");
		expect(asked).toHaveLength(3);
		expect(details?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "not_finalized" });
		expect(details?.error?.message).toContain("/count: must be integer");
		expect(details?.results[0]).toMatchObject({ exitCode: 1, output: '{"count":"many"}' });
	});
});
