import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { waitingMessages } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { type RunMode, selectRuns } from "../../src/ledger/records.ts";
import { findSession } from "../../src/ledger/sessions.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { continueSession } from "../../src/operate/continue.ts";
import { isDenial } from "../../src/operate/denial.ts";
import { absentParent } from "../../src/plan/absent-parent.ts";
import type { ParentFacts } from "../../src/plan/launch.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { agentOf, configOf, parentOf, planned, type Wish } from "../plan/launching.ts";

const scratch = useScratch();

/** What is another by the time the message comes. */
interface Since {
	/** Lines of the agent's file; null: it is gone. */
	agent?: string | null;
	/** An agent of the project that has the same name. */
	projects?: string;
	config?: object;
	parent?: Partial<ParentFacts>;
	/** What the shell finds on file about letting the agent write. */
	consent?: "given" | "not_asked";
	happened?: (ledger: Ledger, plan: LaunchPlan) => void;
}

interface Case {
	agent?: string;
	/** How the run before was planned. */
	before?: Omit<Wish, "agent">;
	mode?: RunMode;
	open?: boolean;
	since?: Since;
}

const FROM = ["the conversation", "a shell"] as const;
type From = (typeof FROM)[number];

async function continued(from: From, { agent = "tools: read, grep", before, mode, open, since = {} }: Case) {
	const ledger = await scratch.ledger();
	const cwd = scratch.folder();
	const plan = await planned({ agent, ...before, parent: { cwd, ...before?.parent } });
	const record = admitRun(ledger, { ...admission({ mode: mode ?? "background" }), plan });
	if (!open) endRun(ledger, { id: record.run.id, fence: 0, outcome: success(), at: 5 });
	since.happened?.(ledger, plan);
	const own = since.agent === null ? [] : [agentOf(since.agent ?? agent)];
	const projects: AgentDefinition[] = since.projects === undefined ? [] : [agentOf(since.projects, "project")];
	const projectTrusted = since.parent?.projectTrusted ?? true;
	const consent = () => since.consent ?? "not_asked";
	const parent: ParentFacts =
		from === "a shell"
			? absentParent(plan, { projectTrusted, consent, mayLoad: () => projectTrusted })
			: { ...parentOf, cwd, askToWrite: async () => consent(), ...since.parent };
	const [child] = selectRuns(ledger, "id = ?", record.run.id);
	if (!child) throw new Error("The run is gone.");
	const answer = await continueSession(child, { message: "And then?", parentSession: "parent" }, parent, {
		ledger,
		config: configOf(since.config ?? {}),
		catalog: {
			agents: projects.length > 0 ? projects : own,
			overridden: projects.length > 0 ? own : [],
			unusable: [],
			diagnostics: [],
		},
		agentDir: cwd,
		sessionsRoot: "/sessions",
		findSession: (id) => findSession(ledger, id),
		profile: () => "p",
		log: NO_LOG,
		ports,
	});
	return { answer, plan, ledger, child };
}

async function next(from: From, wish: Case): Promise<{ plan: LaunchPlan; before: LaunchPlan }> {
	const { answer, plan } = await continued(from, wish);
	if (isDenial(answer)) throw new Error(`It was refused: ${answer.error}`);
	expect(answer).toMatchObject({ how: "resumed", record: { mode: "background", parentSession: "parent" } });
	return { plan: answer.record.plan, before: plan };
}

const DENY_GREP = { tools: { subagents: { tools: { deny: ["grep"] } } } };
const HOOKED = { config: { subagents: { hooks: { start: ["false"] } } } };
const UNTRUSTED = { parent: { projectTrusted: false } };
const archive = (ledger: Ledger) => void ledger.run("UPDATE sessions SET archived_at = 9");
const removeFolder = (_: Ledger, { cwd }: LaunchPlan) => rmSync(cwd, { recursive: true });

test("a new task from a shell keeps the route of the session; in the conversation, only its route now counts", async () => {
	const before = { request: { route: { chat: 7 } } };
	expect((await next("a shell", { before })).plan.route).toEqual({ chat: 7 });
	expect((await next("the conversation", { before })).plan.route).toBeUndefined();
});

describe.each(FROM)("a new task from %s, for a session whose run has finished", (from) => {
	const REFUSED: [string, Since, "forbidden" | "error", RegExp][] = [
		["subagents are off", { config: { subagents: { enabled: false } } }, "forbidden", /subagents\.enabled/],
		["its agent is disabled", { config: { subagents: { disabled: ["custom"] } } }, "forbidden", /subagents\.disabled/],
		[
			"its agent's file switches it off",
			{ agent: "tools: read\nenabled: false" },
			"forbidden",
			/switched off.*enabled/,
		],
		["its agent is gone", { agent: null }, "error", /Unknown agent: custom/],
		[
			"none of its tools is left",
			{ agent: "tools: lsp", config: { subagents: { allowLspTools: false } } },
			"forbidden",
			/None of the tools/,
		],
		["trust in its project was withdrawn", UNTRUSTED, "forbidden", /is not trusted now.*\/trust/],
		["the start hook refuses", HOOKED, "forbidden", /start hook .* refused it with exit code 1/],
		["its session is archived", { happened: archive }, "error", /is archived/],
		["its folder is gone", { happened: removeFolder }, "error", /folder of session .* is gone/],
		["its principal is gone", { happened: (ledger) => void ledger.run(OF_WORK) }, "error", /no agentId "work"/],
	];
	const OF_WORK = `UPDATE runs SET plan = json_set(plan, '$.principal.id', 'work')`;

	test.each(REFUSED)("is refused if %s", async (_what, since, status, error) => {
		const { answer, ledger } = await continued(from, { since });
		expect(answer).toEqual({ status, error: expect.stringMatching(error) });
		expect(ledger.get("SELECT count(*) AS runs FROM runs")).toEqual({ runs: 1 });
	});

	const PLANNED: [string, Case, Partial<LaunchPlan>][] = [
		[
			"the configuration forbids a tool",
			{ since: { config: DENY_GREP } },
			{ tools: ["read"], warnings: [expect.stringMatching(/^grep was left out: .*deny/)] },
		],
		[
			"its agent's file asks for another tool",
			{ since: { agent: "tools: read, ls" } },
			{ tools: ["read", "ls"], warnings: [expect.stringMatching(/definition of custom has changed/)] },
		],
		[
			"a trusted project replaces its agent",
			{ since: { projects: "tools: ls" } },
			{
				tools: ["ls"],
				warnings: [expect.stringMatching(/This project's custom/), expect.stringMatching(/has changed/)],
			},
		],
		[
			"the parent's model is another",
			{ since: { parent: { model: { provider: "test", id: "newer" } } } },
			{ model: { provider: "test", id: "the parent's" }, warnings: [] },
		],
		["its thinking level was asked for", { before: { request: { thinking: "high" } } }, { thinking: "high" }],
		[
			"its model was asked for",
			{ before: { request: { model: "cheap" } } },
			{ model: { provider: "test", id: "cheap" }, warnings: [] },
		],
		[
			"it was asked to be archived",
			{ before: { request: { cleanup: "delete" } } },
			{ afterwards: { cleanup: "delete", archiveAfterMinutes: 60, parentKept: true } },
		],
		[
			"its limits are lower",
			{ since: { config: { agents: { defaults: { subagents: { maxRunSeconds: 60 } } } } } },
			{ limits: expect.objectContaining({ timeoutMs: 60_000 }) },
		],
		[
			"the run before was waited for",
			{ mode: "foreground" },
			{ limits: expect.objectContaining({ timeoutMs: 3_600_000 }) },
		],
		[
			"the run before had less time",
			{ before: { request: { background: true, runTimeoutSeconds: 120 } } },
			{ limits: expect.objectContaining({ timeoutMs: 3_600_000 }) },
		],
	];

	test.each(PLANNED)("is planned by how things are now if %s", async (_what, wish, plan) => {
		expect((await next(from, wish)).plan).toMatchObject(plan);
	});

	test("lets the agent write only with the consent that holds now", async () => {
		const agent = "tools: read, bash";
		const before = { parent: { askToWrite: async () => "given" as const } };
		const kept = await next(from, { agent, before, since: { consent: "given" } });
		expect([kept.before.tools, kept.plan.tools]).toEqual([
			["read", "bash"],
			["read", "bash"],
		]);
		const withdrawn = await next(from, { agent, before });
		expect(withdrawn.plan).toMatchObject({
			tools: ["read"],
			warnings: [expect.stringMatching(/^bash was left out: .*allowWrite/)],
		});
	});

	test("says what it lacks, like the run before", async () => {
		const { plan, before } = await next(from, { agent: "tools: read, nowhere\nmodel: gone" });
		expect(before.warnings).toEqual([
			expect.stringMatching(/^nowhere was/),
			expect.stringMatching(/"gone" of custom.md is not/),
		]);
		expect(plan.warnings).toEqual([expect.stringMatching(/^nowhere was left out/), before.warnings[1]]);
	});

	test("tells the child its current tools, and once that it may keep silent", async () => {
		const { plan } = await next(from, { mode: "foreground", since: { config: DENY_GREP } });
		expect(plan.prompt).toContain("- Your tools: read. There are no others.\n");
		expect(plan.prompt).not.toContain("read, grep");
		expect(plan.prompt.match(/ANNOUNCE_SKIP/g)).toHaveLength(1);
	});
});

describe.each(FROM)("a message from %s to an open run", (from) => {
	test("belongs to the plan of that run, whatever has changed since", async () => {
		const { answer, ledger, child } = await continued(from, {
			open: true,
			since: { agent: "tools: ls", config: DENY_GREP },
		});
		expect(answer).toMatchObject({ how: "steered", record: { run: { id: child.run.id } } });
		expect(waitingMessages(ledger, child.run.id)).toMatchObject([{ body: "And then?" }]);
		endRun(ledger, { id: child.run.id, fence: 0, outcome: success(), at: 9 });
		const [followUp] = selectRuns(ledger, "id <> ?", child.run.id);
		expect(followUp?.plan).toMatchObject({ task: "And then?", tools: child.plan.tools, model: child.plan.model });
	});

	const REFUSED: [string, Since, RegExp][] = [
		["subagents are off", { config: { subagents: { enabled: false } } }, /subagents\.enabled/],
		["its agent is disabled", { config: { subagents: { disabled: ["custom"] } } }, /subagents\.disabled/],
		["its agent's file switches it off", { agent: "tools: read\nenabled: false" }, /switched off.*enabled/],
		["trust in its project was withdrawn", UNTRUSTED, /is not trusted now/],
		["the start hook refuses", HOOKED, /start hook .* refused it with exit code 1/],
	];

	test.each(REFUSED)("is refused if %s", async (_what, since, error) => {
		const { answer, ledger, child } = await continued(from, { open: true, since });
		expect(answer).toEqual({ status: "forbidden", error: expect.stringMatching(error) });
		expect(waitingMessages(ledger, child.run.id)).toEqual([]);
	});
});

test("a model that is gone is replaced by the next one, with a warning", async () => {
	const parent = { resolveModel: async () => undefined };
	const { plan } = await next("the conversation", { before: { request: { model: "cheap" } }, since: { parent } });
	expect(plan).toMatchObject({
		model: { id: "the parent's" },
		warnings: [expect.stringMatching(/^The model "test\/cheap" of this session is not available/)],
	});
});

test("a definition that has changed and names a model goes before the model of the session", async () => {
	const since = { agent: "tools: read\nmodel: dear:high" };
	const { plan } = await next("the conversation", { agent: "tools: read\nmodel: cheap\nthinking: low", since });
	expect(plan).toMatchObject({ model: { id: "dear" }, thinking: "high" });
});

test("an extension that may not be loaded any more is left out of what is continued from a shell", async () => {
	const lenient = {
		agent: "tools: read, deploy",
		before: { config: { subagents: { allowWrite: true } }, parent: UNTRUSTED.parent },
	};
	const { plan, before } = await next("a shell", {
		...lenient,
		since: { ...UNTRUSTED, config: { subagents: { allowWrite: true } } },
	});
	expect(before.extensions).toEqual(["/extensions/deploy.js"]);
	expect(plan).toMatchObject({
		tools: ["read"],
		extensions: [],
		warnings: [expect.stringMatching(/^deploy was left out: the extension/)],
	});
});
