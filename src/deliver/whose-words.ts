import type { SubagentError } from "../run/errors.ts";

/** Endings whose message we write from the first word to the last. The others quote the child, a provider or a program. */
const OURS: ReadonlySet<string | undefined> = new Set([
	"runtime",
	"idle",
	"tool",
	"stopped",
	"budget",
	"output_limit",
	"lost",
]);

export const isOurs = ({ reason }: SubagentError): boolean => OURS.has(reason);
