import type { AgentDefinition } from "../agents/definition.ts";
import { didYouMean } from "../run/nearest.ts";
import { quoted, shortened } from "../run/quoted.ts";
import { listed, nameOf } from "./left-out.ts";
import type { PlannedSkill } from "./plan.ts";

/** A skill that pi has found for the parent. */
export interface KnownSkill extends PlannedSkill {
	/** It belongs to a project that is not trusted. */
	untrusted?: true;
}

/** A child reads a skill with one of these tools; without one pi does not even mention skills. */
const READERS = ["read", "bash"];

export interface SkillQuestion {
	agent: AgentDefinition;
	/** The tools that the child gets. */
	tools: readonly string[];
	known: readonly KnownSkill[];
}

/** The skills that a child can see. Each that it does not get is a warning. */
export function skillsFor({ agent, tools, known }: SkillQuestion): { skills: PlannedSkill[]; warnings: string[] } {
	const { skills: asked = [], file } = agent;
	if (asked.length === 0) return { skills: [], warnings: [] };
	const name = nameOf(agent);
	if (!READERS.some((tool) => tools.includes(tool))) {
		const message = `Skills were left out: ${name} has neither read nor bash to read them with. Add read to \`tools\` in ${file}.`;
		return { skills: [], warnings: [message] };
	}
	const names = asked === "all" ? known.map((skill) => skill.name) : asked;
	const found = names.flatMap((each) => known.find((skill) => skill.name === each) ?? []);
	const missing = names.filter((each) => !found.some((skill) => skill.name === each));
	const untrusted = found.filter((skill) => skill.untrusted);
	return {
		skills: found.filter((skill) => !skill.untrusted).map((skill) => ({ name: skill.name, file: skill.file })),
		warnings: [...missingSkills(missing, file, known), ...untrustedSkills(untrusted, file)],
	};
}

function untrustedSkills(skills: readonly KnownSkill[], file: string): string[] {
	if (skills.length === 0) return [];
	const names = skills.map(({ name }) => name);
	const one = skills.length === 1;
	return [
		`${skillsOf(names, file)} left out: ${one ? "it belongs" : "they belong"} to this project, which is not trusted. Review ${one ? "it" : "them"}, then trust the project with /trust.`,
	];
}

/** One line for all of them, except for those of which the meant one is known. */
function missingSkills(names: readonly string[], file: string, known: readonly KnownSkill[]): string[] {
	const knownNames = known.map((skill) => skill.name);
	const misspelt = names.filter((name) => didYouMean(name, knownNames) !== "");
	const others = names.filter((name) => !misspelt.includes(name));
	return [...misspelt.map((name) => [name]), others].flatMap(([first, ...more]) => {
		if (first === undefined) return [];
		const one = more.length === 0;
		const them = one ? "it" : "them";
		return [
			`${skillsOf([first, ...more], file)} left out: pi has not found ${them}.${one ? didYouMean(first, knownNames) : ""} ` +
				`Put ${them} where pi looks for skills (for example skills/${shortened(first)}/SKILL.md in pi's agent directory) ` +
				`and type /reload, or correct the ${one ? "name" : "names"}.`,
		];
	});
}

const skillsOf = (names: readonly string[], file: string): string =>
	`The ${names.length === 1 ? "skill" : "skills"} ${listed(names.map(quoted))} of ${file} ${names.length === 1 ? "was" : "were"}`;
