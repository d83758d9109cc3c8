import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions } from "./interrupted.ts";

const openHome = useHome();
const OWN_PROVIDER = join(repositoryRoot, "test", "children", "own-provider.ts");

const modelsOfChildren = (home: Home) => home.model.requests.flatMap(({ isChild, model }) => (isChild ? [model] : []));

const oneLook = dispatch({
	parent: [delegateTo("explorer", "Look."), text("Done.")],
	child: () => finalize("Seen."),
});
const asParent = ["--model", "elsewhere/own"];

describe.each(somePi(import.meta.url))("a model that only an extension provides, on pi %s", (version) => {
	test("is inherited by a child; the extension's tools and hooks stay out of it", async () => {
		const home = await openHome({ moreExtensions: [OWN_PROVIDER], script: oneLook });
		const env = { ELSEWHERE_URL: home.model.baseUrl, ELSEWHERE_TRACES: home.project };
		const run = await promptPi(home, "Go.", { version, args: asParent, env });
		expect(delegations(run)[0], run.stderr).toMatchObject({
			finalized: { status: "SUCCESS" },
			results: [{ model: "elsewhere/own" }],
		});
		expect(delegations(run)[0]?.results[0]).not.toHaveProperty("warnings");
		expect(modelsOfChildren(home)).toEqual(["own"]);
		const tools = home.model.requests.map(({ isChild, tools }) => [isChild, tools.includes("elsewhere_tool")]);
		expect(tools).toContainEqual([false, true]);
		expect(tools).not.toContainEqual([true, true]);
		// The parent's hook has run, once; a child's has not.
		expect(readdirSync(home.project)).toEqual(["session_start of a parent"]);
	});

	// How an extension fails is told by pi's loader; that it hangs, or registers nothing, we find out ourselves.
	const failures = [
		["throws", "It does not want to."],
		["hangs", "it did not load within 10 s"],
		["registers nothing", "none of the extensions registers elsewhere"],
	] as const;
	longTest.each(failures.filter(([how]) => how === "throws" || version === "0.87.1"))(
		"whose extension %s outside of the session is refused, with the file and the reason",
		async (how, why) => {
			const home = await openHome({ moreExtensions: [OWN_PROVIDER], script: oneLook });
			const env = { ELSEWHERE_URL: home.model.baseUrl, ELSEWHERE_IN_HOSTS: how };
			const run = await promptPi(home, "Go.", { version, args: asParent, env });
			const [details] = delegations(run);
			expect(details).toMatchObject({
				results: [],
				error: { code: "SUBAGENT_FAILED", reason: "no_model", message: expect.stringContaining("agents.defaults") },
			});
			expect(details?.error?.message).toContain("own-provider.ts");
			expect(details?.error?.message).toContain(why);
			expect(modelsOfChildren(home)).toEqual([]);
		},
	);

	test("an untrusted project's extension is never loaded to look for it", async () => {
		const home = await openHome({
			moreExtensions: [OWN_PROVIDER],
			files: {
				".pi/extensions/evil.ts": `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify("EVIL")}, "");\nexport default () => {};\n`,
			},
			script: oneLook,
		});
		const evil = join(home.project, ".pi", "extensions", "evil.ts");
		const trace = join(home.scratch, "evil ran");
		writeFileSync(evil, readFileSync(evil, "utf8").replace('"EVIL"', JSON.stringify(trace)));
		const env = { ELSEWHERE_URL: home.model.baseUrl };
		const run = await promptPi(home, "Go.", { version, args: ["--no-approve", ...asParent], env });
		expect(modelsOfChildren(home), run.stderr).toEqual(["own"]);
		expect(existsSync(trace)).toBe(false);
	});
});

describe("a model that only an extension provides, on any pi", () => {
	const version = ANY_PI;

	longTest(
		"is used where it is named, from the user's folder of extensions; what was found out is remembered",
		async () => {
			const home = await openHome({
				config: { agents: { defaults: { subagents: { model: "own" } } } },
				script: dispatch({
					parent: [delegateTo("explorer", "Look."), delegateTo("explorer", "Look again."), text("Done.")],
					child: () => finalize("Seen."),
				}),
			});
			mkdirSync(join(home.agentDir, "extensions"));
			copyFileSync(OWN_PROVIDER, join(home.agentDir, "extensions", "own.ts"));
			const run = await promptPi(home, "Go.", { version, env: { ELSEWHERE_URL: home.model.baseUrl } });
			expect(modelsOfChildren(home), run.stderr).toEqual(["own", "own"]);
			const warning = expect.stringMatching(/scripted does not offer "own".*elsewhere\/own/);
			expect(delegations(run)).toMatchObject([
				{ results: [{ warnings: [warning] }] },
				{ results: [{ warnings: [warning] }] },
			]);
			const remembered = JSON.parse(readFileSync(join(home.agentDir, "pi-geon", "providers.json"), "utf8")) as object;
			expect(Object.entries(remembered)).toEqual([
				[join(home.agentDir, "extensions", "own.ts"), { digest: expect.any(String), providers: ["elsewhere"] }],
			]);
		},
	);

	longTest("is used after the host of its run was killed", { timeout: 120_000 }, async () => {
		const home = await openHome({
			moreExtensions: [OWN_PROVIDER],
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: (request) => (interruptions(request) > 0 ? finalize("Seen.") : [text("I think"), hang()]),
			}),
		});
		const env = { ELSEWHERE_URL: home.model.baseUrl };
		const running = promptPi(home, "Go.", { version, args: asParent, env, timeoutMs: 110_000 });
		await home.model.waitFor(({ isChild }) => isChild);
		killHostsAtWork(home);
		expect(delegations(await running)).toMatchObject([
			{ results: [{ exitCode: 0, attempts: 2, model: "elsewhere/own" }] },
		]);
	});

	test("whose extension cannot be used is replaced by the next one, with a warning", async () => {
		const home = await openHome({
			moreExtensions: [OWN_PROVIDER],
			config: { agents: { defaults: { subagents: { model: "elsewhere/own" } } } },
			script: oneLook,
		});
		const env = { ELSEWHERE_URL: home.model.baseUrl, ELSEWHERE_IN_HOSTS: "throws" };
		const run = await promptPi(home, "Go.", { version, env });
		const warning = expect.stringMatching(/comes from an extension, and .*own-provider.ts: .*It does not want to/);
		expect(delegations(run)[0]).toMatchObject({ finalized: { status: "SUCCESS" }, results: [{ warnings: [warning] }] });
		expect(modelsOfChildren(home)).toEqual(["parent"]);
	});

	longTest("whose extension is removed between plan and run ends the run truthfully", async () => {
		const first = gate();
		const home = await openHome({
			config: { agents: { defaults: { subagents: { maxConcurrent: 1 } } } },
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) =>
					lastMessage?.role !== "tool" && lastUserText === "Go."
						? [
								toolCall("sessions_spawn", { agent: "explorer", task: "First.", model: "scripted/child" }),
								toolCall("sessions_spawn", { agent: "explorer", task: "Second.", model: "elsewhere/own" }),
							]
						: text("Done."),
				child: async () => {
					await first.opened;
					return finalize("Seen.");
				},
			}),
		});
		const extension = join(home.agentDir, "extensions", "own.ts");
		mkdirSync(join(home.agentDir, "extensions"));
		copyFileSync(OWN_PROVIDER, extension);
		const running = promptPi(home, "Go.", { version, env: { ELSEWHERE_URL: home.model.baseUrl } });
		await home.model.waitFor(({ isChild, lastMessage }) => !isChild && lastMessage?.role === "tool");
		rmSync(extension);
		first.open();
		await running;
		const announce = home.model.requests.find(({ lastUserText }) => lastUserText.includes("Status: error"));
		expect(announce?.lastUserText).toContain("own.ts, which provides the model of this run, cannot be used");
		expect(modelsOfChildren(home)).toEqual(["child"]);
	});
});

longTest(
	"a name that means several models, or of which half is not understood, is not taken without a word",
	async () => {
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
	},
);
