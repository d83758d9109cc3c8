import { plural } from "../../run/amounts.ts";
import { type Check, pass } from "./check.ts";

/** Whether children can use the MCP servers of this pi. Runs before the check of tools, because it waits for the servers. */
export const checkMcp: Check = {
	name: "mcp",
	async *run({ sources, signal }) {
		const mcp = await sources.mcp?.(signal);
		if (!mcp) return;
		for (const error of mcp.errors) {
			yield { level: "warn", what: error, remedy: "Correct the entry: `pi mcp list` checks all of them." };
		}
		for (const { name, tools } of mcp.servers) {
			if (tools > 0) yield pass(`The MCP server ${name} has ${plural(tools, "tool")} that subagents can have`);
			else
				yield {
					level: "warn",
					what: `The MCP server ${name} has not connected, or offers no tools`,
					detail: "Subagents with its tools wait for it for up to 10 s, then work without them, and say so.",
					remedy: "`pi mcp list` says what is wrong with it.",
				};
		}
	},
};
