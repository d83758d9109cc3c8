import { describe, expect, test } from "vitest";
import { absentParent } from "../../src/plan/absent-parent.ts";
import { planned } from "./launching.ts";

const known = [
	{ name: "release-notes", file: "/skills/release-notes/SKILL.md" },
	{ name: "pdf-tools", file: "/skills/pdf-tools/SKILL.md" },
	{ name: "of-project", file: "/project/.pi/skills/of-project/SKILL.md", untrusted: true as const },
];
const parent = { knownSkills: () => known };
const named = (skills: readonly { name: string }[] | undefined) => skills?.map(({ name }) => name);

describe("the skills of a run", () => {
	test("are none unless the file asks for them", async () => {
		for (const fields of [
			"tools: read",
			"tools: read\nskills: none",
			"tools: read\nskills: []",
			"tools: read\nskills: false",
		]) {
			expect(await planned({ agent: fields, parent })).not.toHaveProperty("skills");
		}
		expect(await planned({ parent })).not.toHaveProperty("skills");
	});

	test("are those that the file names, frozen with their files", async () => {
		const { skills, warnings } = await planned({ agent: "tools: read\nskills: [pdf-tools]", parent });
		expect(skills).toEqual([{ name: "pdf-tools", file: "/skills/pdf-tools/SKILL.md" }]);
		expect(warnings).toEqual([]);
	});

	test("are all that pi has found with `all`, without those of a project that is not trusted", async () => {
		const { skills, warnings } = await planned({ agent: "tools: read\nskills: all", parent });
		expect(named(skills)).toEqual(["release-notes", "pdf-tools"]);
		expect(warnings).toEqual([expect.stringMatching(/"of-project" of custom.md was left out: .*not trusted.*\/trust/)]);
	});

	test("that pi has not found are warnings, with the name that may have been meant and a remedy", async () => {
		const { skills, warnings } = await planned({ agent: "tools: read\nskills: release-note, pdf-tools", parent });
		expect(named(skills)).toEqual(["pdf-tools"]);
		expect(warnings).toEqual([
			expect.stringMatching(
				/"release-note" of custom.md was left out: pi has not found it. Did you mean release-notes\? Put it where .* correct the name/,
			),
		]);
	});

	test("that pi has not found are one warning, however many they are", async () => {
		const agent = `tools: read\nskills: [pdf-tols, ${["baking", "sewing", "welding"].join(", ")}]`;
		const { warnings } = await planned({ agent, parent });
		expect(warnings).toEqual([
			expect.stringMatching(/^The skill "pdf-tols" of custom.md was left out: .* Did you mean pdf-tools\?/),
			expect.stringMatching(
				/^The skills "baking", "sewing", "welding" of custom.md were left out: pi has not found them. Put them where .*skills\/baking\/SKILL.md.* correct the names\.$/,
			),
		]);
		expect(
			(await planned({ agent: `tools: read\nskills: ${"s".repeat(500)}`, parent })).warnings[0]?.length,
		).toBeLessThan(500);
	});

	test("of a project that is not trusted are one warning, however many they are", async () => {
		const more = {
			name: "of-project-too",
			file: "/project/.pi/skills/of-project-too/SKILL.md",
			untrusted: true as const,
		};
		const { warnings } = await planned({
			agent: "tools: read\nskills: of-project, of-project-too",
			parent: { knownSkills: () => [...known, more] },
		});
		expect(warnings).toEqual([
			'The skills "of-project", "of-project-too" of custom.md were left out: they belong to this project, which is not trusted. Review them, then trust the project with /trust.',
		]);
	});

	test("are read by the child, so a file that also names Claude Code's tool for them loses nothing", async () => {
		expect(await planned({ agent: "tools: Read, Skill\nskills: pdf-tools", parent })).toMatchObject({
			...{ tools: ["read"], warnings: [] },
		});
		expect((await planned({ agent: "tools: Read, Skill", parent })).warnings).toEqual([
			"Skill was left out: pi has no tool for skills. A subagent reads those that `skills` in its file names.",
		]);
	});

	test("are left out with a warning where the agent has no tool to read them with", async () => {
		const { skills, warnings } = await planned({ agent: "tools: ls\nskills: all", parent });
		expect(skills).toBeUndefined();
		expect(warnings).toEqual([expect.stringMatching(/has neither read nor bash .* Add read to `tools` in custom.md/)]);
	});

	test("stay with a session that is continued without its parent", async () => {
		const agent = "tools: read\nskills: [pdf-tools]";
		const plan = await planned({ agent, parent });
		const absent = absentParent(plan, { projectTrusted: true, consent: () => "not_asked", mayLoad: () => true });
		expect(await planned({ agent, parent: absent })).toMatchObject({ skills: plan.skills, warnings: [] });
	});
});
