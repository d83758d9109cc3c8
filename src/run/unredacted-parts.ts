import type { Outcome } from "./outcome.ts";
import { type Redacted, redactedBefore } from "./redacted.ts";

/**
 * Redacts what of an outcome no host has redacted: the message of its error and its warnings. What the child had said is
 * redacted before it is written down, and its end may be all that is left of it.
 */
export function redactOwnParts(outcome: Outcome<string>, redact: (text: string) => Redacted): Outcome {
	const warnings = outcome.warnings.map(redact);
	if (outcome.status === "success") return { ...redactedBefore(outcome), warnings };
	const { error, ...rest } = redactedBefore(outcome);
	return { ...rest, warnings, error: { ...error, message: redact(error.message) } };
}
