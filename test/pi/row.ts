import { initTheme, type Theme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import { KeybindingsManager, setKeybindings, type TUI } from "@earendil-works/pi-tui";
import * as calls from "../../src/pi/view/session-calls.ts";
import * as results from "../../src/pi/view/session-results.ts";
import { renderCall } from "../../src/pi/view/subagent-call.ts";
import { renderResult } from "../../src/pi/view/subagent-result.ts";

/** How the calls of our tools and their results are drawn. */
export const views = {
	subagent: { renderCall, renderResult },
	sessions_spawn: { renderCall: calls.renderSpawnCall, renderResult: results.renderSpawnResult },
	sessions_send: { renderCall: calls.renderSendCall, renderResult: results.renderSendResult },
	sessions_list: { renderCall: calls.renderListCall, renderResult: results.renderListResult },
	sessions_history: { renderCall: calls.renderHistoryCall, renderResult: results.renderHistoryResult },
	sessions_apply: { renderCall: calls.renderApplyCall, renderResult: results.renderApplyResult },
	agents_list: { renderCall: calls.renderPrincipalsCall, renderResult: results.renderPrincipalsResult },
};

export interface Row {
	/** `subagent` unless told otherwise. */
	readonly tool?: keyof typeof views;
	readonly args: unknown;
	/** None yet: only the call is shown. */
	readonly result?: { readonly content: unknown; readonly details: unknown; readonly isError?: boolean };
	readonly isPartial?: boolean;
	readonly expanded?: boolean;
}

initTheme("dark");
setKeybindings(new KeybindingsManager({ "app.tools.expand": { defaultKeys: "ctrl+o", description: "" } }));

/** The row of a call as pi itself puts it together, shell and real theme included. */
export function drawRow(
	{ tool = "subagent", args, result, isPartial = false, expanded = false }: Row,
	width: number,
): string[] {
	const view = { name: tool, label: tool, ...views[tool] };
	const row = new ToolExecutionComponent(tool, "call-1", args, {}, view as never, screen, "/project");
	row.setArgsComplete();
	row.markExecutionStarted();
	row.setExpanded(expanded);
	if (result) row.updateResult({ isError: false, ...result } as never, isPartial);
	return row.render(width);
}

const screen = { requestRender() {} } as unknown as TUI;

/** pi's theme, as renderers are given it. */
export const theme: Theme = givenTheme();

function givenTheme(): Theme {
	let given: Theme | undefined;
	const spy = {
		renderCall(_args: unknown, passed: Theme) {
			given = passed;
			return { render: () => [], invalidate() {} };
		},
	};
	new ToolExecutionComponent("spy", "call-0", {}, {}, spy as never, screen, "/project");
	if (!given) throw new Error("pi did not draw the call");
	return given;
}
