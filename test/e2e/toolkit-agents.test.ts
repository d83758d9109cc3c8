import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { ANY_PI, runPi, somePi } from "../helpers/pi.ts";
import { type PiVersion, repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

const agents = {
	"off.md": agentNamed("resting", "Do.", "tools: read\nenabled: false\nmodel: nowhere/off"),
	"odd.md": agentNamed("odd", "Do.", "tools: read\nmemory: project\nmodel: nowhere/nothing"),
	"other.md": agentNamed("other", "Do.", "tools: read\nmodel: own"),
};
const moreExtensions = [join(repositoryRoot, "test", "children", "own-provider.ts")];

async function report(home: Home, version: PiVersion, env: Record<string, string>): Promise<string> {
	const options = { version, env: { ELSEWHERE_URL: home.model.baseUrl, ...env }, timeoutMs: 40_000 };
	const { stdout } = await runPi(home, [...home.extensionArgs, "-p", "/toolkit agents"], options);
	return stdout.replace(/\s+/g, " ");
}

describe.each(somePi(import.meta.url))("/toolkit agents on pi %s", (version) => {
	test("tells which agents are off, what their files ask for in vain, and what becomes of their models", async () => {
		const home = await openHome({ agents, moreExtensions });
		const told = await report(home, version, {});
		expect(told).toMatch(
			/resting · user · off about resting, for a test tools read off `enabled: false` in \S+off\.md:5 model/,
		);
		expect(told).not.toContain("nowhere/off is not");
		expect(told).toContain("warning memory is not used: subagents keep no memory between sessions.");
		expect(told).toMatch(
			/warning The model "nowhere\/nothing" of \S+odd\.md is not available; scripted\/parent was used instead\./,
		);
		expect(told).toMatch(/model own \(elsewhere\/own\)/);
		expect(told).toMatch(/warning The model of \S+other\.md: scripted does not offer "own", so elsewhere\/own/);
	});
});

describe("/toolkit agents on any pi", () => {
	const version = ANY_PI;

	longTest("tells that a model's extension cannot be used in a child", async () => {
		const home = await openHome({ agents, moreExtensions });
		const told = await report(home, version, { ELSEWHERE_IN_HOSTS: "throws" });
		expect(told).toMatch(/warning The model "own" of \S+other\.md comes from an extension, and .*It does not want to/);
	});
});
