import type { DefaultResourceLoader } from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";

type LoaderOptions = ConstructorParameters<typeof DefaultResourceLoader>[0];

/**
 * Gives pi's loader the skills of a plan, and no others. The plan has the files that pi found for the parent, so neither the
 * host's folders nor a new file can add instructions for a child.
 */
export const skillOptions = ({ skills = [] }: LaunchPlan) =>
	({
		noSkills: true,
		additionalSkillPaths: skills.map(({ file }) => file),
		// A path may stand for a folder with more skills.
		skillsOverride: (found) => ({
			...found,
			skills: found.skills.filter(({ name }) => skills.some((planned) => planned.name === name)),
		}),
	}) satisfies Partial<LoaderOptions>;

/** Warnings about planned skills that can no longer be used. */
export function lostSkills({ skills = [] }: LaunchPlan, loader: Pick<DefaultResourceLoader, "getSkills">): string[] {
	const loaded = loader.getSkills().skills;
	return skills.flatMap(({ name, file }) => {
		const skill = loaded.find((each) => each.name === name);
		if (!skill) return [`The skill ${name} was left out: it cannot be read from ${file} any more.`];
		if (!skill.disableModelInvocation) return [];
		return [`The skill ${name} was left out: ${file} says disable-model-invocation, so no model is told of it.`];
	});
}
