import type { LaunchPlan } from "./plan.ts";
import { withSilenceAllowed } from "./prompt.ts";

/** Only the run that meets the change reports it: later runs continue with the definition of that run. */
export const definitionChanged = (agent: string): string =>
	`The definition of ${agent} has changed since this session was last used; the current one applied.`;

/**
 * The plan of a run that continues the session of another and has no waiting caller, even if the other had one. It gets the
 * time limit of a background run, and knows that its report is announced. It lacks the same things, and says so.
 */
export function inBackground(plan: LaunchPlan): LaunchPlan {
	const { backgroundTimeoutMs = plan.limits.timeoutMs } = plan;
	return {
		...plan,
		prompt: withSilenceAllowed(plan.prompt),
		warnings: plan.warnings.filter((warning) => warning !== definitionChanged(plan.agent)),
		limits: { ...plan.limits, timeoutMs: backgroundTimeoutMs },
	};
}
