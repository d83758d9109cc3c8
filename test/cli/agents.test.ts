import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { useHome } from "../helpers/use-home.ts";
import { piGeon } from "./pi-geon.ts";

const openHome = useHome();

const agents = {
	"off.md": agentNamed("resting", "Do.", "tools: read\ndisabled: true"),
	"odd.md": agentNamed("odd", "Do.", "tools: read\nmemory: project\nmodel: nowhere/nothing"),
	"careful.md": agentNamed("careful", "Do.", "disallowedTools: Bash(rm:*)"),
};
const UNUSED = "memory is not used: subagents keep no memory between sessions.";
const DENIED = /bash was left out: the file denies Bash\(rm:\*\), and some uses of a tool cannot be denied here/;

describe("outside of pi", () => {
	test("pi-geon agents tells what the files ask for and a child does not get, and which agents are off", async () => {
		const { stdout } = await piGeon(await openHome({ agents }), ["agents"]);
		const report = stdout.replace(/\s+/g, " ");
		expect(report).toMatch(
			/resting · user · off about resting, for a test tools read off `disabled: true` in \S+off\.md:5 model/,
		);
		expect(report).toContain(`warning ${UNUSED}`);
		expect(report).toMatch(DENIED);
		expect(report).toContain("model nowhere/nothing (only pi knows whether it can be used: see /toolkit agents)");
	});

	test("pi-geon agents --json tells the same", async () => {
		const { stdout } = await piGeon(await openHome({ agents }), ["agents", "--json"]);
		const told = JSON.parse(stdout) as { agents: { name: string; here: object }[] };
		const here = (name: string) => told.agents.find((agent) => agent.name === name)?.here;
		expect(here("resting")).toMatchObject({ off: expect.stringMatching(/^`disabled: true` in .*off\.md:5$/) });
		expect(here("odd")).toMatchObject({ warnings: [UNUSED], model: { isChecked: false } });
		expect(here("careful")).toMatchObject({ warnings: expect.arrayContaining([expect.stringMatching(DENIED)]) });
	});

	test("pi-geon doctor reports the same, and does not complain about a name that stands for bash", async () => {
		const home = await openHome({ agents, config: { tools: { subagents: { tools: { deny: ["exec", "process"] } } } } });
		const { stdout } = await piGeon(home, ["doctor"], { env: { PATH: "/nowhere" } });
		const report = stdout.replace(/\s+/g, " ");
		expect(report).toMatch(/ok tools: resting is switched off, so it does not run `disabled: true` in \S+off\.md:5/);
		expect(report).toContain(UNUSED);
		expect(report).toMatch(DENIED);
		expect(report).toContain("exec stands for bash");
		expect(report).not.toMatch(/no such tool|nobody provides|only a running pi knows: (exec|process)/);
	});
});
