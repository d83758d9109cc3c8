import type { ParentFacts } from "./launch.ts";
import type { FallbackModel, LaunchPlan, ModelChoice } from "./plan.ts";
import type { ToolQuestion, WriteConsent } from "./tools.ts";

interface OnFile {
	projectTrusted: boolean;
	/** The user's recorded consent to let an agent write. */
	consent(agent: ToolQuestion["agent"]): WriteConsent;
	/** Whether an extension file is still the one that the user lets pi load. */
	mayLoad(extension: string): boolean;
}

/**
 * Stands in for the parent of a session that another process continues. The session's last plan says what the parent had.
 * There is no user to ask, and no way to look for other models or extensions.
 */
export function absentParent(plan: LaunchPlan, { projectTrusted, consent, mayLoad }: OnFile): ParentFacts {
	const { model, fallbackModels = [], extensionOf = {} } = plan;
	const isNamed = (name: string) => (choice: ModelChoice & Partial<FallbackModel>) =>
		name === `${choice.provider}/${choice.id}` || name === choice.named;
	return {
		cwd: plan.cwd,
		depth: 0,
		activeTools: plan.tools,
		knownTools: plan.tools.map((name) => {
			const extension = Object.hasOwn(extensionOf, name) ? extensionOf[name] : undefined;
			if (extension === undefined) return { name };
			return { name, extension, ...(!mayLoad(extension) && { untrusted: true as const }) };
		}),
		knownSkills: () => plan.skills ?? [],
		isAbsent: true,
		model,
		thinking: plan.thinking,
		projectTrusted,
		sessionKept: plan.afterwards.parentKept,
		resolveModel: async (name) => {
			const found: (Partial<FallbackModel> & ModelChoice) | undefined = [model, ...fallbackModels].find(isNamed(name));
			return found && { model: found, ...(found.thinking && { thinking: found.thinking }) };
		},
		modelSource: async ({ extensions: files = [] }) => {
			if (files.length === 0) return { kind: "pi" };
			if (files.every(mayLoad)) return { kind: "extensions", files };
			return { kind: "unusable", why: "the project in which that extension lies is not trusted (/trust)" };
		},
		approveProjectAgent: async () => "nobody",
		askToWrite: async (agent) => consent(agent),
	};
}
