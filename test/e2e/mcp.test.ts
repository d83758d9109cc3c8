import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type Home, piVersions, promptPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();
const SERVER = join(repositoryRoot, "test", "children", "mcp-server.ts");

const stdio = (more: object = {}) => ({ command: process.execPath, args: [SERVER], ...more });

function configure(home: Home, mcpServers: object): void {
	writeFileSync(join(home.agentDir, "mcp.json"), JSON.stringify({ mcpServers }));
}

const EXPOSURES = [
	["the default exposure", {}],
	["deferred exposure", { exposure: "deferred" }],
	["direct exposure", { exposure: "direct" }],
] as const;

describe.each(piVersions)("an MCP server on pi %s", (version) => {
	test.each(EXPOSURES)("with %s does not break a child that inherits its parent's tools", async (_name, exposure) => {
		const home = await openHome({
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) =>
					lastMessage?.role !== "tool" && lastUserText === "Go."
						? toolCall("sessions_spawn", { task: "Look." })
						: text("Done."),
				child: () => finalize("Seen."),
			}),
		});
		configure(home, { tester: stdio(exposure) });
		const run = await promptPi(home, "Go.", { version });
		expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(1);
		expect(
			home.model.requests.some(({ lastUserText }) => lastUserText.includes("Status: success")),
			run.stderr,
		).toBe(true);
	});
});
