import type { AgentDefinition } from "../agents/definition.ts";
import { didYouMean } from "../run/nearest.ts";
import { quoted } from "../run/quoted.ts";
import { nameOf } from "./left-out.ts";
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
	const skills: PlannedSkill[] = [];
	const warnings: string[] = [];
	for (const each of names) {
		const found = known.find((skill) => skill.name === each);
		if (!found) warnings.push(missingSkill(each, file, known));
		else if (found.untrusted) warnings.push(`The skill ${quoted(each)} of ${file} was left out: ${UNTRUSTED_SKILL}`);
		else skills.push({ name: found.name, file: found.file });
	}
	return { skills, warnings };
}

const UNTRUSTED_SKILL =
	"it belongs to this project, which is not trusted. Review it, then trust the project with /trust.";

function missingSkill(name: string, file: string, known: readonly KnownSkill[]): string {
	const meant = didYouMean(
		name,
		known.map((skill) => skill.name),
	);
	return (
		`The skill ${quoted(name)} of ${file} was left out: pi has not found it.${meant} ` +
		`Put it where pi looks for skills (for example skills/${name}/SKILL.md in pi's agent directory) and type /reload, or correct the name.`
	);
}
