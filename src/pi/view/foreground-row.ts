import type { AgentToolResult, Theme, ToolRenderResultOptions } from "@earendil-works/pi-coding-agent";
import { type Component, visibleWidth } from "@earendil-works/pi-tui";
import type { StillRows } from "../still-rows.ts";
import { amountOf, fieldsOf } from "./stored.ts";
import { renderCall } from "./subagent-call.ts";
import { renderResult } from "./subagent-result.ts";

/** pi's facts about the row that is drawn. */
interface RowContext {
	toolCallId: string;
	/** Shared by the call and the result of the row. */
	state: { hasResult?: boolean };
	isPartial: boolean;
	isError: boolean;
	expanded: boolean;
	invalidate(): void;
}

type Background = "toolPendingBg" | "toolErrorBg" | "toolSuccessBg";

interface Shell {
	theme: Theme;
	background: Background;
	padding: number;
	top: boolean;
	bottom: boolean;
}

const USUAL_PADDING = 1;

/**
 * The row of a foreground run, in a shell of its own: pi recolours its own shell as soon as a call ends, which is too early
 * for a row that must not change yet.
 */
export function foregroundRow(rows: StillRows) {
	return {
		renderShell: "self" as const,
		renderCall(args: unknown, theme: Theme, context: RowContext): Component {
			const whole = renderCall(args, theme, context);
			const short = renderCall(args, theme, { expanded: false, inOneLine: true });
			return drawnBy((width) => {
				const isStill = rows.has(context.toolCallId);
				const isShort = isStill && !context.expanded;
				const isAlone = isStill || context.state.hasResult !== true;
				const shell = shellOf(context, theme, isStill);
				return shelled(isShort ? short : whole, width, { ...shell, top: !isShort, bottom: isAlone && !isShort });
			}, whole);
		},
		renderResult(
			result: AgentToolResult<unknown>,
			options: ToolRenderResultOptions,
			theme: Theme,
			context: RowContext,
		): Component {
			context.state.hasResult = true;
			if (!options.isPartial) rows.ended(context.toolCallId, () => context.invalidate());
			const drawn = renderResult(result, options, theme, context);
			return drawnBy((width) => {
				if (rows.has(context.toolCallId)) return [];
				return shelled(drawn, width, { ...shellOf(context, theme, false), top: false, bottom: true });
			}, drawn);
		},
	};
}

function drawnBy(render: (width: number) => string[], drawn: Component): Component {
	return { render, invalidate: () => drawn.invalidate() };
}

function shellOf(context: RowContext, theme: Theme, isStill: boolean): Pick<Shell, "theme" | "background" | "padding"> {
	const ended: Background = context.isError ? "toolErrorBg" : "toolSuccessBg";
	return {
		theme,
		background: context.isPartial || isStill ? "toolPendingBg" : ended,
		// pi 1.5 provides the user's setting.
		padding: amountOf(fieldsOf(context)?.outputPad) ?? USUAL_PADDING,
	};
}

function shelled(drawn: Component, width: number, { theme, background, padding, top, bottom }: Shell): string[] {
	const side = width > 2 * padding ? padding : 0;
	const blanks = (amount: number) => " ".repeat(Math.max(0, amount));
	const painted = (line: string) =>
		theme.bg(background, `${blanks(side)}${line}${blanks(width - side - visibleWidth(line))}`);
	return [
		...(top ? [painted("")] : []),
		...drawn.render(Math.max(1, width - 2 * side)).map(painted),
		...(bottom ? [painted("")] : []),
	];
}
