import type { Theme } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import { legible } from "../run/legible.ts";

const LONGEST_CALL = 200;

/** Draws a call for the user: the tool, and its addresses or questions. Arguments may still be streaming. */
export const webCallLine = (name: string) => (args: object | undefined, theme: Theme) => {
	const words = Object.values(args ?? {})
		.flat()
		.filter((value) => typeof value === "string");
	const line = legible(words.join(", ")).replace(/\s+/g, " ").slice(0, LONGEST_CALL);
	return new Text(`${theme.fg("toolTitle", theme.bold(name))} ${theme.fg("accent", line)}`, 0, 0);
};
