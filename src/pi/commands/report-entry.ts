import type { EntryRenderer } from "@earendil-works/pi-coding-agent";
import { Box, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import { DOCTOR_TITLE, LEVEL_MARKS, levelOfLine } from "../../operate/doctor/marks.ts";
import { fitted, wrapIndented } from "../view/fitted.ts";
import { fieldsOf, textOf } from "../view/stored.ts";

/** The kind of entry that contains a command's answer. pi shows such entries, but never sends them to the model. */
export const REPORT = "pi-geon:report";

const LEVEL_COLORS = { pass: "success", warn: "warning", fail: "error" } as const;

/** A report as a block of the conversation. Its layout was made for the screen at that time, which may have changed. */
export const renderReport: EntryRenderer = (entry, _options, theme) => {
	const text = textOf(fieldsOf(entry.data)?.text);
	if (text === undefined) return undefined;
	const [title = "", ...lines] = plain(text).split("\n");
	const isDoctor = title === DOCTOR_TITLE;
	const asText = (line: string): string => theme.fg("customMessageText", line);
	const painted = (line: string): string => {
		const level = isDoctor ? levelOfLine(line) : undefined;
		if (level === undefined) return asText(line);
		const mark = LEVEL_MARKS[level];
		return `${theme.fg(LEVEL_COLORS[level], mark)}${asText(line.slice(mark.length))}`;
	};
	const box = new Box(1, 1, (line) => theme.bg("customMessageBg", line));
	box.addChild(
		fitted((width) => [
			...wrapTextWithAnsi(theme.fg("customMessageLabel", theme.bold(title)), width),
			...lines.flatMap((line) => {
				const [first = "", ...others] = wrapIndented(line, width);
				return [painted(first), ...others.map(asText)];
			}),
		]),
	);
	// The padding alone may be wider than the terminal.
	return fitted((width) => box.render(width));
};
