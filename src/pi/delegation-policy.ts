import type { NormalizedBuildSystemPromptOptions } from "@earendil-works/pi-coding-agent";
import { type NamedAgent, shorten, splitDescription } from "./tool-description.ts";

const WHEN =
	"Delegate searching and reading when you only need the conclusion, and independent parts side by side; do small steps yourself";
const HOW = "Tell a subagent the goal, paths, limits and what to report, and check what you rely on";

const HINTS = 10;
const HINT_CHARS = 80;

/**
 * When to delegate, to which agent, and one example: a rule in each line. It says nothing that changes from request to
 * request, so that the provider's cache of the prompt holds. What each agent does is in the tool's description.
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
 * pi puts the guidelines of active tools into the system prompt that it writes itself, and into no other. This adds the
 * policy to one that the user wrote. It is not the way for both: before pi 1.5 a section added here is gone for a part
 * of every run that a message of an extension started, and the prompt's cache with it.
 */
export function addPolicyToCustomPrompt(options: NormalizedBuildSystemPromptOptions, policy: string): void {
	if (!options.customPrompt || policy === "" || !options.selectedTools.includes("subagent")) return;
	options.sections.delegation = policy;
}
