import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { type Answered, useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();
const shared = useSharedPi();

const key = (name: string) => ({ type: "api_key", key: `sk-${name}-0123456789abcdef` });
const bearer = (name: string) => `Bearer sk-${name}-0123456789abcdef`;

interface Setup {
	/** Stored credentials by provider; absent: there is no auth.json. */
	mainAuth?: object;
	workAuth?: object;
	/** More of the principal's settings. */
	work?: object;
	/** `subagents` of main. */
	main?: object;
	defaults?: object;
	spawn?: object;
	version?: PiVersion;
	prepare?: (home: Home) => void;
	child?: Reply;
}

const workDir = (home: Home): string => join(home.home, "work");

/** One run that a parent spawns, under the principal `work` unless told otherwise. */
async function spawnOne(setup: Setup) {
	const { main = { allowAgents: ["main", "work"] }, work = {}, defaults = {}, version = "0.87.1" } = setup;
	// What is set up besides, pi reads when it starts.
	const needsOwnPi = setup.mainAuth !== undefined || setup.prepare !== undefined || setup.version !== undefined;
	const home = await (needsOwnPi ? openHome : shared.openHome)({
		config: {
			agents: {
				defaults: { subagents: defaults },
				list: [
					{ id: "main", subagents: main },
					{ id: "work", agentDir: "~/work", ...work },
				],
			},
		},
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) => {
				const [verb, sessionId] = lastUserText.split(" ");
				if (lastMessage?.role === "tool") return text("Noted.");
				if (verb === "Go.")
					return toolCall("sessions_spawn", { task: "A", agent: "explorer", agentId: "work", ...setup.spawn });
				return verb === "continue" ? toolCall("subagent", { task: "B", agent: "explorer", sessionId }) : text("Noted.");
			},
			child: () => setup.child ?? finalize("Done."),
		}),
	});
	rmSync(workDir(home), { recursive: true, force: true });
	mkdirSync(workDir(home));
	if (setup.mainAuth) writeFileSync(join(home.agentDir, "auth.json"), JSON.stringify(setup.mainAuth));
	if (setup.workAuth) writeFileSync(join(workDir(home), "auth.json"), JSON.stringify(setup.workAuth));
	setup.prepare?.(home);
	const before = snapshot(home);
	const run = needsOwnPi ? await startedPi(home, version) : await sharedPi(home);
	const child = home.model.requests.find((request) => request.isChild);
	return {
		home,
		receipt: run.toolResults[0]?.details,
		child,
		parentRequest: home.model.requests[0],
		events: JSON.stringify(run.events),
		before,
		after: snapshot(home),
	};
}

async function startedPi(home: Home, version: PiVersion): Promise<Answered> {
	const run = await promptPi(home, "Go.", { version });
	expect(run.code, run.stderr).toBe(0);
	return run;
}

/** Also to the end of what it spawned, for which `pi -p` waits. */
async function sharedPi(home: Home): Promise<Answered> {
	const run = await shared.promptPi(home, "Go.");
	const receipt = run.toolResults[0]?.details as { status: string } | undefined;
	if (receipt?.status !== "accepted") return run;
	const rpc = shared.pi(home);
	const announce = await rpc.waitForEvent((event) => JSON.stringify(event).includes("pi-geon:announce"));
	await rpc.waitForEvent(({ type }) => type === "agent_settled", { from: rpc.events.indexOf(announce) });
	return { ...run, events: [...rpc.events] };
}

/** Names, contents and times of all files in the principal's directory, and of main's credentials. */
function snapshot(home: Home): object {
	const names = readdirSync(workDir(home), { recursive: true, encoding: "utf8" }).sort();
	const own = names.map((name) => join(workDir(home), name));
	const mains = [join(home.agentDir, "auth.json"), join(home.agentDir, "models.json")];
	const facts = (file: string) => {
		const stat = statSync(file, { throwIfNoEntry: false });
		return stat?.isFile() ? { mtime: stat.mtimeMs, text: readFileSync(file, "utf8") } : undefined;
	};
	return { names, files: Object.fromEntries([...own, ...mains].map((file) => [file, facts(file)])) };
}

describe.each(somePi(import.meta.url))("credentials belong to the principal, on pi %s", (version) => {
	test("its own go before main's, and nothing is written", async () => {
		const { child, parentRequest, before, after, receipt } = await spawnOne({
			version,
			mainAuth: { scripted: key("main") },
			workAuth: { scripted: key("work"), other: key("other") },
		});
		expect(receipt).toMatchObject({
			status: "accepted",
			childSessionKey: expect.stringMatching(/^agent:work:subagent:/),
		});
		expect(parentRequest?.header("authorization")).toBe(bearer("main"));
		expect(child?.header("authorization")).toBe(bearer("work"));
		expect(after).toEqual(before);
	});
});

describe("credentials belong to the principal, on any pi", () => {
	const version = ANY_PI;

	longTest("main's are used where it has none for a provider", async () => {
		const { child, before, after } = await spawnOne({
			version,
			mainAuth: { scripted: key("main") },
			workAuth: { other: key("other") },
		});
		expect(child?.header("authorization")).toBe(bearer("main"));
		expect(after).toEqual(before);
	});

	longTest("main's are used where it has no auth.json at all, and none is made", async () => {
		const { child, before, after } = await spawnOne({ version, mainAuth: { scripted: key("main") } });
		expect(child?.header("authorization")).toBe(bearer("main"));
		expect(after).toEqual(before);
	});
});

longTest("its own are used where main has none stored", async () => {
	const { child, parentRequest } = await spawnOne({ workAuth: { scripted: key("work") } });
	expect(parentRequest?.header("authorization")).toBe("Bearer scripted-key");
	expect(child?.header("authorization")).toBe(bearer("work"));
});

longTest("without an agentId, main's are used", async () => {
	const { child } = await spawnOne({
		spawn: { agentId: undefined },
		mainAuth: { scripted: key("main") },
		workAuth: { scripted: key("work") },
	});
	expect(child?.header("authorization")).toBe(bearer("main"));
});

test("a principal's key that a child prints is redacted", async () => {
	const { events } = await spawnOne({
		workAuth: { scripted: { type: "api_key", key: "qwertz4711uiopasdf" } },
		child: finalize("I saw qwertz4711uiopasdf there."),
	});
	expect(events).toContain("I saw ");
	expect(events).not.toContain("qwertz4711");
});

test("a store that cannot be read fails the run: it does not go to main's account", async () => {
	const { child, events } = await spawnOne({
		mainAuth: { scripted: key("main") },
		prepare: (home) => writeFileSync(join(workDir(home), "auth.json"), "{ broken"),
	});
	expect(child).toBeUndefined();
	expect(events).toMatch(/Status: error.*The credentials in .*auth\.json cannot be read/);
});

describe("who may be targeted", () => {
	test("one that is not allowed is forbidden, and the setting is named", async () => {
		const { receipt, child } = await spawnOne({ main: {} });
		expect(receipt).toEqual({
			status: "forbidden",
			error: expect.stringContaining("agents.list[main].subagents.allowAgents"),
		});
		expect(child).toBeUndefined();
	});

	longTest("one that is not configured is an error", async () => {
		const { receipt } = await spawnOne({ main: { allowAgents: ["*"] }, spawn: { agentId: "nobody" } });
		expect(receipt).toEqual({
			status: "error",
			error: 'There is no agentId "nobody". Add it to agents.list in pi-geon.json.',
		});
	});

	longTest(
		"of one that is neither configured nor allowed the first cause is said, and all that is to be done",
		async () => {
			const { receipt } = await spawnOne({ main: {}, spawn: { agentId: "nobody" } });
			expect(receipt).toEqual({
				status: "error",
				error:
					'There is no agentId "nobody". Add it to agents.list and to agents.list[main].subagents.allowAgents in pi-geon.json.',
			});
		},
	);

	longTest('"*" allows every one that is configured', async () => {
		const { receipt } = await spawnOne({ main: { allowAgents: ["*"] } });
		expect(receipt).toMatchObject({ status: "accepted" });
	});
});

describe("models", () => {
	const models = { work: { subagents: { model: "scripted/priced" } }, defaults: { model: "scripted/child" } };

	longTest("the principal's goes before the default", async () => {
		const { child, receipt } = await spawnOne(models);
		expect(receipt).toMatchObject({ model: "scripted/priced" });
		expect(child?.model).toBe("priced");
	});

	longTest("the default applies to others, and the request goes before both", async () => {
		const main = await spawnOne({ ...models, spawn: { agentId: "main" } });
		expect(main.child?.model).toBe("child");
		const asked = await spawnOne({ ...models, spawn: { model: "scripted/parent" } });
		expect(asked.child?.model).toBe("parent");
	});

	longTest("one for which only the principal has credentials can be used by it, and not by main", async () => {
		const prepare = (home: Home) => {
			const file = join(home.agentDir, "models.json");
			const { providers } = JSON.parse(readFileSync(file, "utf8")) as { providers: { scripted: object } };
			const { apiKey: _none, ...second } = providers.scripted as { apiKey: string };
			writeFileSync(file, JSON.stringify({ providers: { ...providers, second } }));
		};
		const setup = { prepare, workAuth: { second: key("second") }, spawn: { model: "second/child" } };
		const { child, receipt } = await spawnOne(setup);
		expect(receipt).toMatchObject({ model: "second/child" });
		expect(receipt).not.toHaveProperty("warning");
		expect(child?.header("authorization")).toBe(bearer("second"));
		const main = await spawnOne({ ...setup, spawn: { model: "second/child", agentId: "main" } });
		expect(main.receipt).toMatchObject({ model: "scripted/parent", warning: expect.stringContaining("second/child") });
	});
});

longTest(
	"a child reads the instructions and TOOLS.md of the project and of its principal's directory, and no other",
	async () => {
		// Where there is an AGENTS.md, pi does not read a CLAUDE.md.
		const names = ["AGENTS", "TOOLS", "CLAUDE", "SOUL", "USER", "IDENTITY", "HEARTBEAT", "BOOTSTRAP", "MEMORY"];
		const { child } = await spawnOne({
			prepare: (home) => {
				const places = { project: home.project, work: workDir(home), main: home.agentDir };
				for (const [place, dir] of Object.entries(places)) {
					for (const name of names) writeFileSync(join(dir, `${name}.md`), `Mark ${place}-${name}.`);
				}
			},
		});
		const marks = [...(child?.systemText ?? "").matchAll(/Mark (\w+-\w+)\./g)].map(([, mark]) => mark);
		expect(marks).toEqual(["work-AGENTS", "work-TOOLS", "project-AGENTS", "project-TOOLS"]);
	},
);

test("a session is not continued under another account than it had", async () => {
	const { home, child, receipt } = await spawnOne({
		mainAuth: { scripted: key("main") },
		workAuth: { scripted: key("work") },
	});
	expect(child?.header("authorization")).toBe(bearer("work"));
	const before = home.model.requests.filter((request) => request.isChild).length;
	const sessionId = (receipt as { childSessionKey: string }).childSessionKey.split(":").at(-1);
	const run = await promptPi(home, `continue ${sessionId}`);
	expect(run.toolResults.at(-1)?.details).toMatchObject({
		error: { code: "INVALID_INPUT", reason: "other_principal", message: expect.stringContaining("agentId work") },
	});
	expect(home.model.requests.filter((request) => request.isChild)).toHaveLength(before);
});
