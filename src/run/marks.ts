import { randomBytes } from "node:crypto";
import { ours, type Redacted, redactedBefore } from "./redacted.ts";

/** A pair of tags around text that others wrote. */
export interface Marks {
	/** The name of the tag, without its angle brackets. */
	readonly name: Redacted;
	around(text: string): string;
}

/**
 * The name of the tag is drawn after the text was written, so no text can close it. Other tags of this kind in the text
 * are defused anyway: a hasty reader might take one of them for the end.
 */
export function marks(kind: "untrusted" | "report"): Marks {
	const name = ours`${redactedBefore<string>(kind)}-${redactedBefore(randomBytes(8).toString("hex"))}`;
	const lookalikes = new RegExp(`<(?=\\s*/?\\s*${kind}-)`, "gi");
	return { name, around: (text) => `<${name}>\n${text.replace(lookalikes, "&lt;")}\n</${name}>` };
}
