import type { NormalizedBuildSystemPromptOptions } from "@earendil-works/pi-coding-agent";
import { type NamedAgent, shorten, splitDescription } from "./tool-description.ts";

const WHEN =
	"Delegate searching and reading when you only need the conclusion, and independent parts side by side; do small steps yourself";
const HOW = "Tell a subagent the goal, paths, limits and what to report, and check what you rely on";

const HINTS = 10;
const HINT_CHARS = 80;

/**
 * When to delegate, to which agent, and one example: a rule per line. It does not change between requests, so that the
 * provider's cache of the prompt stays valid. The tool's description says what each agent does.
 */
export function delegationPolicy(agents: readonly NamedAgent[]): string {
	const usable = agents.filter(({ switchedOff }) => switchedOff === undefined);
	const [first] = usable;
	if (first === undefined) return "";
	const hints = usable.flatMap(hintOf).slice(0, HINTS);
	return [WHEN, HOW, ...(hints.length > 0 ? [`Subagents: ${hints.join(" ")}`] : []), exampleFor(first)].join("\n");
}

const exampleFor = ({ name }: NamedAgent): string =>
	`Example: subagent({ agent: "${name}", task: "Find where sessions expire. Report path:line of each place." })`;

function hintOf({ name, description }: NamedAgent): string[] {
	const { when } = splitDescription(description);
	return when === "" ? [] : [`${name}: ${shorten(when, HINT_CHARS)}`];
}

/**
 * Adds the policy to a system prompt that the user wrote: pi puts the guidelines of active tools only into its own. This
 * cannot replace the guidelines: before pi 1.5, a section added here is missing in a part of every run that a message of an
 * extension started, which also invalidates the prompt's cache.
 */
export function addPolicyToCustomPrompt(options: NormalizedBuildSystemPromptOptions, policy: string): void {
	if (!options.customPrompt || policy === "" || !options.selectedTools.includes("subagent")) return;
	options.sections.delegation = policy;
}
