import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi as startPi } from "../helpers/pi.ts";
import { stagedPackage } from "../helpers/repository.ts";
import { type SharedHomeOptions, useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openOwnHome = useHome();
const { openHome, promptPi } = useSharedPi();

/** One call with these arguments, in a home with this configuration; nothing may reach a child. */
async function call(args: object, home: Partial<SharedHomeOptions> = {}) {
	const opened = await openHome({
		...home,
		script: dispatch({ parent: [toolCall("subagent", args), text("Done.")], child: [finalize("Should not run.")] }),
	});
	const run = await promptPi(opened, "Go.");
	expect(opened.model.requests.filter((request) => request.isChild)).toEqual([]);
	const [result] = run.toolResults;
	return { text: result?.text ?? run.stderr, details: delegations(run)[0], isError: result?.isError };
}

describe("a request that is turned down gets its code, and nothing is started", () => {
	test("an unknown agent is answered with those there are", async () => {
		const { text, details } = await call({ agent: "nobody", task: "Find it." });
		const message =
			"Unknown agent: nobody. Available agents: explorer, researcher, reviewer, implementer, tester, worker";
		expect(text).toBe(message);
		expect(details).toEqual({ version: 1, mode: "single", results: [], error: { code: "UNKNOWN_AGENT", message } });
	});

	test("a blank task", async () => {
		const { details } = await call({ agent: "explorer", task: "  \n" });
		expect(details?.error).toMatchObject({
			code: "INVALID_INPUT",
			message: expect.stringContaining("`task` must be a non-empty string"),
		});
	});

	test.each([
		["an empty task", { agent: "explorer", task: "" }, "task"],
		["a missing task", { agent: "explorer" }, "task"],
		["a task that is no text", { agent: "explorer", task: 7 }, "task"],
		["an empty agent", { agent: "", task: "Find it." }, "agent"],
		["a missing agent", { task: "Find it." }, "agent"],
	])("%s", async (_name, args, field) => {
		const { text, details, isError } = await call(args);
		expect(isError).toBe(true);
		expect(text).toContain(`\`${field}\` must be a non-empty string`);
		expect(details).toEqual({
			version: 1,
			mode: "single",
			results: [],
			error: { code: "INVALID_INPUT", message: text },
		});
	});

	test("a field of another system: pi's own schema check answers", async () => {
		const { text, isError } = await call({ agent: "explorer", task: "Find it.", chain: [] });
		expect(isError).toBe(true);
		expect(text).toContain('Validation failed for tool "subagent"');
	});

	test("an agent that is switched off", async () => {
		const { details } = await call(
			{ agent: "explorer", task: "Find it." },
			{ config: { subagents: { disabled: ["explorer"] } } },
		);
		expect(details?.error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "disabled" });
	});

	test("an agent none of whose tools is available", async () => {
		const withoutWebTools = join(stagedPackage(), "dist", "extension.js");
		const { details } = await call({ agent: "researcher", task: "Find it." }, { extension: withoutWebTools });
		expect(details?.error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "no_tools" });
		expect(details?.error?.message).toContain("web_search");
	});

	test("where delegation is not allowed, it does not matter what was asked for", async () => {
		const { details } = await call({ agent: "nobody", task: "Find it." }, { config: { subagents: { maxDepth: 0 } } });
		expect(details).toMatchObject({ mode: "management", results: [], error: { code: "SUBAGENT_DEPTH_EXCEEDED" } });
	});

	test("inside a child there is no such tool", async () => {
		const home = await openHome({
			script: dispatch({
				parent: [delegateTo("explorer", "Find it."), text("Done.")],
				child: [delegateTo("explorer", "You do it."), finalize("I had to do it myself.")],
			}),
		});
		const [details] = delegations(await promptPi(home, "Go."));
		expect(details?.finalized).toMatchObject({ result: "I had to do it myself." });
		const answered = home.model.requests.filter((request) => request.isChild)[1]?.toolResults[0]?.text;
		expect(answered).toContain("subagent not found");
	});

	test("a pi that a child starts has no such tool either", async () => {
		const home = await openOwnHome({ script: () => text("Nothing to delegate with.") });
		await startPi(home, "Go.", { env: { PI_SUBAGENT_CHILD: "1" } });
		expect(home.model.requests[0]?.tools).not.toContain("subagent");
	});

	test("switched off altogether, the tool is not registered at all", async () => {
		const home = await openOwnHome({ script: () => text("Hm."), config: { subagents: { enabled: false } } });
		await startPi(home, "Go.");
		expect(home.model.requests[0]?.tools).not.toContain("subagent");
	});
});
