import type { SubagentError } from "../run/errors.ts";

/** Endings whose message we write from the first word to the last. The others quote the child, a provider or a program. */
const OURS: ReadonlySet<string | undefined> = new Set(["stopped", "budget", "output_limit", "lost"]);

/** A timeout by its code: its reason `runtime` is also that of a crash, which quotes the exception of any program. */
export const isOurs = ({ code, reason }: SubagentError): boolean => code === "SUBAGENT_TIMEOUT" || OURS.has(reason);
