import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();

describe.each(somePi(import.meta.url))("context files on pi %s", (version) => {
	test("are the parent's own: CLAUDE.md and AGENTS.override.md reach the child, each once, in pi's order", async () => {
		const home = await openHome({
			files: {
				"CLAUDE.md": "Mark project-claude.",
				"SOUL.md": "Mark project-soul.",
				"deep/AGENTS.override.md": "Mark deep-override.",
				"deep/AGENTS.md": "Mark deep-agents.",
				"deep/CLAUDE.md": "Mark deep-claude.",
				"deep/TOOLS.md": "Mark deep-tools.",
			},
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: () => finalize("Found."),
			}),
		});
		writeFileSync(join(home.agentDir, "AGENTS.MD"), "Mark user-agents.");
		const run = await promptPi(home, "Go.", { version, cwd: join(home.project, "deep") });
		expect(delegations(run)[0]?.finalized, run.stderr).toMatchObject({ status: "SUCCESS" });
		const marks = (isChild: boolean) => {
			const request = home.model.requests.find((each) => each.isChild === isChild);
			return [...(request?.systemText ?? "").matchAll(/Mark ([\w-]+)\./g)].map(([, mark]) => mark);
		};
		expect(marks(false)).toEqual(["user-agents", "project-claude", "deep-override"]);
		expect(marks(true)).toEqual([...marks(false), "deep-tools"]);
		expect(delegations(run)[0]?.results[0]?.warnings ?? []).toEqual([]);
	});
});
