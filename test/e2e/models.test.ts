import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();
const OWN_PROVIDER = join(repositoryRoot, "test", "children", "own-provider.ts");

const modelsOfChildren = (home: Home) => home.model.requests.flatMap(({ isChild, model }) => (isChild ? [model] : []));

describe.each(piVersions)("a model that only an extension provides, on pi %s", (version) => {
	const openWith = (config: object) =>
		openHome({
			moreExtensions: [OWN_PROVIDER],
			config,
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: () => finalize("Seen."),
			}),
		});

	test("gives way to the next in line, with a warning", async () => {
		const home = await openWith({ agents: { defaults: { subagents: { model: "elsewhere/own" } } } });
		const run = await promptPi(home, "Go.", { version, env: { ELSEWHERE_URL: home.model.baseUrl } });
		const warning = expect.stringContaining("comes from an extension, which subagents do not load");
		expect(delegations(run)[0]).toMatchObject({ finalized: { status: "SUCCESS" }, results: [{ warnings: [warning] }] });
		expect(run.toolResults[0]?.text).toEqual(warning);
		expect(modelsOfChildren(home)).toEqual(["parent"]);
	});

	test("and if it is the parent's own, that is said before there is a run", async () => {
		const home = await openWith({});
		const args = ["--model", "elsewhere/own"];
		const run = await promptPi(home, "Go.", { version, args, env: { ELSEWHERE_URL: home.model.baseUrl } });
		expect(delegations(run)[0]).toMatchObject({
			results: [],
			error: { code: "SUBAGENT_FAILED", reason: "no_model", message: expect.stringContaining("agents.defaults") },
		});
		expect(modelsOfChildren(home)).toEqual([]);
	});
});

test("a name that means several models, or of which half is not understood, is not taken without a word", async () => {
	const spawns = ["*", "scripted/child:bogus", "scripted/child"].map((model) =>
		toolCall("sessions_spawn", { agent: "explorer", task: model, model }),
	);
	const home = await openHome({
		script: dispatch({
			parent: ({ lastMessage, lastUserText }) =>
				lastMessage?.role !== "tool" && lastUserText === "Go." ? spawns : text("Done."),
			child: () => finalize("ANNOUNCE_SKIP"),
		}),
	});
	const run = await promptPi(home, "Go.");
	expect(run.toolResults.map(({ details }) => details)).toEqual([
		expect.objectContaining({ model: "scripted/parent", warning: expect.stringContaining('"*"') }),
		expect.objectContaining({ model: "scripted/child", warning: expect.stringContaining("bogus") }),
		expect.not.objectContaining({ warning: expect.anything() }),
	]);
});
