import { initTheme, type Theme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import { KeybindingsManager, setKeybindings, type TUI } from "@earendil-works/pi-tui";
import { renderCall } from "../../src/pi/view/subagent-call.ts";
import { renderResult } from "../../src/pi/view/subagent-result.ts";

export interface Row {
	readonly args: unknown;
	/** None yet: only the call is shown. */
	readonly result?: { readonly content: unknown; readonly details: unknown; readonly isError?: boolean };
	readonly isPartial?: boolean;
	readonly expanded?: boolean;
}

initTheme("dark");
setKeybindings(new KeybindingsManager({ "app.tools.expand": { defaultKeys: "ctrl+o", description: "" } }));

/** The row of a `subagent` call as pi itself puts it together, shell and real theme included. */
export function drawRow({ args, result, isPartial = false, expanded = false }: Row, width: number): string[] {
	const row = new ToolExecutionComponent("subagent", "call-1", args, {}, view as never, screen, "/project");
	row.setArgsComplete();
	row.markExecutionStarted();
	row.setExpanded(expanded);
	if (result) row.updateResult({ isError: false, ...result } as never, isPartial);
	return row.render(width);
}

const view = { name: "subagent", label: "Subagent", renderCall, renderResult };
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
