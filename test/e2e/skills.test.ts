import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { ScriptedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, runPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();

function write(file: string, content: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, content);
}

const skill = (name: string, more = "") =>
	`---\nname: ${name}\ndescription: How ${name} are written here.\n${more}---\nThe word is marzipan-${name}.\n`;

const writeSkills = ({ agentDir, project }: Home) => {
	write(join(agentDir, "skills", "release-notes", "SKILL.md"), skill("release-notes"));
	write(join(agentDir, "skills", "memos", "SKILL.md"), skill("memos"));
	write(join(agentDir, "skills", "typed", "SKILL.md"), skill("typed", "disable-model-invocation: true\n"));
	write(join(project, ".pi", "skills", "local", "SKILL.md"), skill("local"));
};

/** The child reads the first skill that it is told of, and returns what is in it. */
const reads = ({ systemText, toolResults }: ScriptedRequest) => {
	const [read] = toolResults;
	if (read) return finalize(/marzipan-[\w-]+/.exec(read.text)?.[0] ?? read.text);
	const [, path = "nowhere"] = /<location>(.*?)<\/location>/.exec(systemText) ?? [];
	return toolCall("read", { path });
};

const told = ({ systemText }: ScriptedRequest): string[] =>
	[...systemText.matchAll(/<name>(.*?)<\/name>/g)].map(([, name = ""]) => name).sort();

describe.each(somePi(import.meta.url))("skills, pi %s", (version) => {
	async function delegated(fields: string, args: string[] = []) {
		const home = await openHome({
			pi: version,
			agents: { "scout.md": agentNamed("scout", "You look around.", fields) },
			script: dispatch({ parent: [delegateTo("scout", "Do it."), text("Done.")], child: reads }),
		});
		writeSkills(home);
		const run = await promptPi(home, "Go.", { version, args });
		const result = delegations(run)[0]?.results[0];
		const child = home.model.requests.find(({ isChild }) => isChild);
		return { home, result, told: child ? told(child) : [] };
	}

	test("a child sees the skills that its file names, and reads one", async () => {
		const seen = await delegated("tools: read\nskills: [release-notes]");
		expect(seen.told).toEqual(["release-notes"]);
		expect(seen.result).toMatchObject({ exitCode: 0, output: "marzipan-release-notes" });
		expect(seen.result?.warnings ?? []).toEqual([]);
	});

	test("all: those that pi finds for its user; those of a project only if it is trusted", async () => {
		const untrusted = await delegated("tools: read\nskills: all");
		expect(untrusted.told).toEqual(["memos", "release-notes"]);
		const trusted = await delegated("tools: read\nskills: all", ["--approve"]);
		expect(trusted.told).toEqual(["local", "memos", "release-notes"]);
	});

	longTest(
		"one that is missing, and one that only its command may use, are warnings; the child has the others",
		async () => {
			const { result, told: seen } = await delegated("tools: read\nskills: release-notes, memo, typed");
			expect(seen).toEqual(["release-notes"]);
			expect(result).toMatchObject({ exitCode: 0, output: "marzipan-release-notes" });
			expect(result?.warnings).toEqual([
				expect.stringMatching(
					/The skill "memo" of .*scout\.md was left out: pi has not found it. Did you mean memos\?/,
				),
				expect.stringMatching(/The skill typed was left out: .*SKILL\.md says disable-model-invocation/),
			]);
		},
	);

	longTest("/toolkit agents shows skills and fallback models, and which of them are missing", async () => {
		const fields = "tools: read\nskills: memos, memo\nfallbackModels: [scripted/priced, scripted/nothing]";
		const home = await openHome({
			pi: version,
			agents: { "scout.md": agentNamed("scout", "You look around.", fields) },
		});
		writeSkills(home);
		const { stdout } = await runPi(home, [...home.extensionArgs, "-p", "/toolkit agents"], { version });
		const report = stdout.replace(/\s+/g, " ");
		expect(report).toContain('gets here read skills memos warning The skill "memo"');
		expect(report).toMatch(
			/fallback scripted\/priced warning The fallback model "scripted\/nothing" of fallbackModels of/,
		);
	});
});
