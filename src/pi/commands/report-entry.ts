import type { EntryRenderer } from "@earendil-works/pi-coding-agent";
import { Box, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import { fitted } from "../view/fitted.ts";
import { fieldsOf, textOf } from "../view/stored.ts";

/** The entry that holds what a command answered. Entries of this kind are shown, and never go to the model. */
export const REPORT = "pi-geon:report";

/** A report as a block of the conversation. It was laid out for the screen it was asked on; this may be another. */
export const renderReport: EntryRenderer = (entry, _options, theme) => {
	const text = textOf(fieldsOf(entry.data)?.text);
	if (text === undefined) return undefined;
	const [title = "", ...lines] = plain(text).split("\n");
	const box = new Box(1, 1, (line) => theme.bg("customMessageBg", line));
	box.addChild(
		fitted((width) => [
			...wrapTextWithAnsi(theme.fg("customMessageLabel", theme.bold(title)), width),
			...lines.flatMap((line) => wrapTextWithAnsi(theme.fg("customMessageText", line), width)),
		]),
	);
	// Its padding alone may be wider than the terminal.
	return fitted((width) => box.render(width));
};
