import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine, plain } from "../../collect/plain.ts";
import { fitted } from "./fitted.ts";

/** The visible parts of a call. Its texts may be anything that a model made up, or still be arriving. */
export interface ShownCall {
	tool: string;
	/** The agent that it is for. */
	name?: string | undefined;
	note?: string | undefined;
	/** Replaces the text if there is no room for all of it. */
	label?: string | undefined;
	/** The request. */
	text?: string | undefined;
}

export interface ShownCallOptions {
	expanded: boolean;
	/** Uses one line, even in a narrow terminal. */
	inOneLine?: boolean;
}

export function callView(
	call: ShownCall,
	theme: Theme,
	{ expanded, inOneLine: isOneLine }: ShownCallOptions,
): Component {
	const title = callTitle(call, theme);
	const label = firstLine(call.label ?? "");
	const text = call.text ?? "";
	const short = label === "" ? firstLine(text) : label;
	if (isOneLine) return fitted(() => [onOneLine(title, short, theme)]);
	if (!expanded) return fitted((width) => shortCall(title, short, theme, width));
	return fitted((width) => [...shortCall(title, label, theme, width), ...wholeText(text, width)]);
}

function callTitle({ tool, name, note }: ShownCall, theme: Theme): string {
	return [
		theme.fg("toolTitle", theme.bold(tool)),
		...(name === undefined ? [] : [theme.fg("accent", firstLine(name))]),
		...(note === undefined ? [] : [theme.fg("dim", inOneLine(note))]),
	].join(" ");
}

function wholeText(text: string, width: number): string[] {
	const shown = plain(text).trim();
	return shown === "" ? [] : wrapTextWithAnsi(shown, width);
}

/** In one line if the terminal is wide enough, otherwise in two. */
function shortCall(title: string, text: string, theme: Theme, width: number): string[] {
	const inOne = onOneLine(title, text, theme);
	return visibleWidth(inOne) <= width ? [inOne] : [title, theme.fg("muted", text)];
}

const onOneLine = (title: string, text: string, theme: Theme): string =>
	text === "" ? title : `${title} ${theme.fg("muted", text)}`;

const LONGEST_CALL_LINE = 1_000;

function firstLine(text: string): string {
	const [first = "", ...others] = plain(text.slice(0, LONGEST_CALL_LINE)).trim().split("\n");
	return others.length > 0 ? `${first.trimEnd()} …` : first;
}
