import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExtensionCommandContext, type ExtensionContext, initTheme } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentSource } from "../../src/agents/definition.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import { modelInShell } from "../../src/operate/model-here.ts";
import { type ToolSurroundings, toolsHere } from "../../src/operate/tools-here.ts";
import { projectAgentApprovals } from "../../src/pi/approvals.ts";
import { dialog } from "../../src/pi/ask-user.ts";
import { browseAgents } from "../../src/pi/commands/agents-screen.ts";
import { type NewAgentSetup, newSubcommand } from "../../src/pi/commands/new-agent.ts";
import { settingsCommand } from "../../src/pi/commands/settings.ts";
import { widthFor } from "../../src/pi/commands/show.ts";
import { questionTitle } from "../../src/pi/show-question.ts";
import { WriteQuestions } from "../../src/pi/write-consent.ts";
import type { Question } from "../../src/processes/protocol.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { configOf, parentOf } from "../plan/launching.ts";
import { dialogsSeen } from "./dialogs.ts";

/** Relative, so that what is drawn is as long on every machine. */
const AGENT_DIR = join("home", "ada", ".pi", "agent");
const OWN_FILE = join(AGENT_DIR, "agents", "note-taker.md");
const OWN_TEXT = `---
name: note-taker
description: Takes notes of what was decided in a meeting, and of who does what until when.
tools: read, write, frobnicate
---
You take notes.
`;

const before = process.cwd();
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "pi-geon-dialogs-"));
	process.chdir(folder);
	vi.stubEnv("PI_CODING_AGENT_DIR", AGENT_DIR);
	fillFolder();
});

afterEach(() => {
	vi.unstubAllEnvs();
	process.chdir(before);
	rmSync(folder, { recursive: true });
});

/** As it is before each look. */
function fillFolder(): void {
	rmSync("home", { recursive: true, force: true });
	mkdirSync(join(AGENT_DIR, "agents"), { recursive: true });
	mkdirSync("shop", { recursive: true });
	writeFileSync(
		join(AGENT_DIR, "pi-geon.json"),
		'{ subagents: { timeoutMs: 60000, allowWrite: "sometimes", disabled: ["tester"] } }',
	);
	writeFileSync(OWN_FILE, OWN_TEXT);
}

function agentIn(file: string, source: AgentSource, text: string) {
	return parseAgent(text, { file, source }).agent ?? expect.fail(`${file} is no agent`);
}

const explorer = agentIn(
	"/pi-geon/agents/explorer.md",
	"builtin",
	`---
name: explorer
description: "Finds files, symbols, call chains and structure in this codebase. Use it before a change that touches several files."
readonly: true
tools: read, grep, find, ls, lsp
---
You find.
`,
);
const noteTaker = agentIn(OWN_FILE, "user", OWN_TEXT);

const config = configOf({});
const surroundings: ToolSurroundings = {
	config,
	pi: { active: parentOf.activeTools, known: parentOf.knownTools, skills: [] },
	consent: () => "not_asked",
	writing: () => undefined,
};

const agents = (ctx: ExtensionContext) =>
	browseAgents(ctx, async () => ({
		catalog: { agents: [explorer, noteTaker], overridden: [], unusable: [], diagnostics: [] },
		options: {
			width: widthFor(ctx),
			toolsHere: (agent) => toolsHere(agent, surroundings),
			modelHere: (agent) => modelInShell(agent, config),
			howToForget: ({ name }) => `/subagents agents forget ${name}`,
		},
	}));

const settings = (ctx: ExtensionContext) =>
	settingsCommand(() => ctx).run("", ctx as ExtensionCommandContext, "subagents");

async function newAgent(ctx: ExtensionContext): Promise<void> {
	const answer = await newSubcommand({} as NewAgentSetup).run("", ctx as ExtensionCommandContext, "subagents");
	if (Array.isArray(answer)) ctx.ui.notify(answer.join("\n"), "info");
}

const who = asItIs<Redacted>('[worker "the release" 01234567]');
const asked = asItIs<ChildQuestion>({ question: "Which of the two databases do you mean?\nBoth are called orders." });
const never = new AbortController().signal;

interface Flow {
	answers: (string | undefined)[];
	work: (ctx: ExtensionContext) => Promise<unknown>;
}

/** What is done on a screen, from the first dialog to the last. */
const flows: Record<string, Flow> = {
	settings: {
		work: settings,
		answers: [
			...["subagents.timeoutMs", "Change it", "soon"],
			...["subagents.allowWrite", "Back"],
			...["subagents.timeoutMs", "Change it", "70000"],
			undefined,
		],
	},
	"agents, one edited": {
		work: agents,
		answers: ["note-taker", "Edit its file", "No frontmatter.", "Edit it again", OWN_TEXT, undefined],
	},
	"agents, one disabled": {
		work: agents,
		answers: ["explorer", "Disable it, here and everywhere", undefined],
	},
	"a new agent": {
		work: newAgent,
		answers: [
			"note-taker",
			"Writes the notes of a release from the commits since the last one.",
			"Read this codebase",
			`For you, everywhere: ${join(AGENT_DIR, "agents")}`,
			...[OWN_TEXT, "Edit it again", OWN_TEXT.replace("note-taker", "release-notes")],
		],
	},
	"a project's agent to approve": {
		work: (ctx) =>
			projectAgentApprovals(never)(ctx, {
				agent: { ...explorer, source: "project", file: "/home/ada/shop/.pi/agents/explorer.md", model: "some/model" },
				tools: ["read", "bash", "edit", "write"],
				replaces: explorer,
			}),
		answers: ["No"],
	},
	"an agent that wants to write": {
		work: (ctx) =>
			new WriteQuestions(never).ask({ ...ctx, isProjectTrusted: () => true }, noteTaker, ["write", "edit", "bash"]),
		answers: ["This session"],
	},
	"questions of a child": {
		work: async (ctx) => {
			const { ui } = ctx;
			const title = questionTitle(who, asked, widthFor(ctx));
			await dialog(
				ui,
				asItIs<Question>({ kind: "select", title, options: ["The old one", "The new one, in the other region"] }),
				never,
			);
			await dialog(ui, { kind: "input", title }, never);
		},
		answers: ["The old one", undefined],
	},
};

describe.each(Object.entries(flows))("the dialogs of %s", (name, { answers, work }) => {
	test.each(["light", "dark"])("are drawn at all widths, with the %s theme", async (themeName) => {
		initTheme(themeName);
		const drawn: string[] = [];
		for (const width of [40, 80, 120]) {
			fillFolder();
			drawn.push(await dialogsSeen({ width, answers }, work));
		}
		const file = `./snapshots/dialogs-${name.replaceAll(/[,']/g, "").replaceAll(" ", "-")}.txt`;
		await expect(drawn.join("\n")).toMatchFileSnapshot(file);
	});
});
