import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { contentOf, repositoryIn, textsIn } from "../trees/repos.ts";
import { delegateTo, finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const openHome = useHome();

const child = [toolCall("write", { path: "a", content: "changed\n" }), finalize("Changed.")];
const MAY = { subagents: { worktree: { modelMayApply: true } } };
const apply = (undo?: boolean) => toolCall("sessions_apply", { run: "last", ...(undo && { undo }) });

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a model that may apply changes applies and reverts them, and the record says that the model did", async () => {
		const parent = [delegateTo("worker", "Change a."), apply(), apply(true), apply(), text("Done.")];
		const home = await openHome({ script: dispatch({ parent, child }), config: MAY });
		const project = repositoryIn(home.project, { a: "a\n" });
		const run = await promptPi(home, "Go.", { version });
		expect(run.finalText, run.stderr).toBe("Done.");
		expect(textsIn(project)).toEqual({ a: "changed\n" });
		expect(inLedger(home, "SELECT what, by FROM change_events ORDER BY seq")).toEqual(
			["applied", "undone", "applied"].map((what) => ({ what, by: "the model, with sessions_apply" })),
		);
	});
});

test("where changes do not fit, the model gets the names of the files as the child's words", async () => {
	const mine = toolCall("write", { path: "a", content: "mine\n" });
	const parent = [delegateTo("worker", "Change a."), mine, apply(), text("Done.")];
	const home = await openHome({ script: dispatch({ parent, child }), config: MAY });
	const project = repositoryIn(home.project, { a: "a\n" });
	const run = await promptPi(home, "Go.", { version: ANY_PI });
	const refused = run.toolResults.find(({ name }) => name === "sessions_apply");
	const error = "Nothing was changed. The patch does not apply to these files: a";
	expect(refused).toMatchObject({ isError: true, details: { status: "error", error, conflicts: ["a"] } });
	const told = JSON.parse(refused?.text ?? "");
	const tag = /tag (report-[0-9a-f]{16}) is the subagent's own words/.exec(told.about)?.[1];
	expect(told).toEqual({ about: told.about, status: "error", error: `<${tag}>\n${error}\n</${tag}>` });
	expect(textsIn(project)).toEqual({ a: "mine\n" });
});

test("by default the model has no tool that applies changes, and a project cannot give it one", async () => {
	const parent = [delegateTo("worker", "Change a."), text("Done.")];
	const files = { ".pi/pi-geon.json": JSON.stringify(MAY) };
	const home = await openHome({ script: dispatch({ parent, child }), files });
	const project = repositoryIn(home.project, { a: "a\n" });
	const before = contentOf(project);
	await promptPi(home, "Go.", { version: ANY_PI, args: ["--approve"] });
	const asked = home.model.requests.filter(({ isChild }) => !isChild);
	expect(asked.flatMap(({ tools }) => tools)).not.toContain("sessions_apply");
	expect(contentOf(project)).toEqual(before);
});
