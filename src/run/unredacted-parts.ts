import type { Outcome } from "./outcome.ts";
import { type Redacted, redactedBefore } from "./redacted.ts";

/**
 * Redacts the parts of an outcome that no host has redacted: the message of its error and its warnings. The child's text is
 * already redacted when it is written down, and may be only the end of a longer text.
 */
export function redactOwnParts(outcome: Outcome<string>, redact: (text: string) => Redacted): Outcome {
	const warnings = outcome.warnings.map(redact);
	if (outcome.status === "success") return { ...redactedBefore(outcome), warnings };
	const { error, ...rest } = redactedBefore(outcome);
	return { ...rest, warnings, error: { ...error, message: redact(error.message) } };
}
