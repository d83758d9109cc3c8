import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Tools that ask the user, one of each kind, and say what they heard. */
export default function askingTools(pi: ExtensionAPI): void {
	const tool = (name: string, ask: (ui: ExtensionContext["ui"]) => Promise<unknown>) =>
		pi.registerTool({
			name,
			label: name,
			description: name,
			parameters: Type.Object({}),
			execute: async (_id, _params, _signal, _onUpdate, ctx) => {
				const text = `heard ${JSON.stringify((await ask(ctx.ui)) ?? null)} with UI ${ctx.hasUI}`;
				return { content: [{ type: "text", text }], details: undefined };
			},
		});

	tool("asks_confirm", (ui) => ui.confirm("Delete \x1b[31mit\x1b[0m?\nReally", "It is\x07 gone then."));
	tool("asks_select", (ui) => ui.select("Which?", ["\x1b[1mone\x1b[0m", "one", "two"]));
	tool("asks_input", (ui) => ui.input("Name?", "a name"));
	tool("asks_editor", (ui) => ui.editor("Text?", "draft"));
	tool("asks_with_timeout", (ui) => ui.confirm("Soon?", "Or never.", { timeout: 300 }));
	tool("asks_three_at_once", (ui) => Promise.all(["A?", "B?", "C?"].map((title) => ui.select(title, ["yes", "no"]))));
	tool("notifies", async (ui) => ui.notify("Something to know."));

	// Asked where no tool runs: the idle clock must not run out on whoever thinks about it.
	pi.on("before_agent_start", async ({ prompt }, ctx) => {
		if (process.env.PI_SUBAGENT_CHILD && prompt.startsWith("Ask first.")) await ctx.ui.confirm("May it begin?", "");
	});
}
