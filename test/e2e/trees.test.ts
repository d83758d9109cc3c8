import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { treesRoot } from "../../src/plan/session-place.ts";
import { piGeon } from "../cli/pi-geon.ts";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { contentOf, repositoryIn, textsIn, write } from "../trees/repos.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();

/** A project whose test fails until `double` is right, with work of the user's in it that is in no commit. */
const FILES = {
	"double.js": "exports.double = (n) => n + n + 1;\n",
	"test.js": 'require("node:assert").equal(require("./double.js").double(4), 8);\nconsole.log("the test passes");\n',
	"README.md": "# Double\n",
	".gitignore": "node_modules\n",
};

function projectIn(home: Home): string {
	const project = repositoryIn(home.project, FILES);
	write(project, { "notes.txt": "of the user\n", "README.md": "# Double, by the user\n" });
	return project;
}

const treesLeft = (home: Home): string[] => {
	const root = treesRoot(home.agentDir, home.home);
	return existsSync(root) ? readdirSync(root) : [];
};

const fix = [
	toolCall("write", { path: "double.js", content: "exports.double = (n) => 2 * n;\n" }),
	toolCall("edit", { path: "README.md", edits: [{ oldText: "by the user", newText: "by both" }] }),
	toolCall("write", { path: "docs/double.md", content: "It doubles.\n" }),
	toolCall("bash", { command: "node test.js && cat notes.txt && git status --short" }),
];

describe.each(piVersions)("on pi %s", (version) => {
	test("a worker changes three files and runs the tests in its tree; the user applies it and takes it back", async () => {
		const script = dispatch({
			parent: [delegateTo("worker", "Fix double."), text("Done.")],
			child: [...fix, finalize("Fixed.")],
		});
		const home = await openHome({ script });
		const project = projectIn(home);
		const before = contentOf(project);

		const run = await promptPi(home, "Fix double.", { version });
		expect(run.finalText, run.stderr).toBe("Done.");
		const [details] = delegations(run);
		const [result] = details?.results ?? [];
		expect(result).toMatchObject({
			exitCode: 0,
			sandbox: { enforced: "kernel", write: "worktree", network: "off" },
			changes: {
				base: { dirty: true },
				state: "pending",
				total: { files: 3 },
				files: [
					{ path: "README.md", status: "M", added: 1, removed: 1 },
					{ path: "docs/double.md", status: "A", added: 1, removed: 0 },
					{ path: "double.js", status: "M", added: 1, removed: 1 },
				],
			},
		});
		expect(result?.warnings).toBeUndefined();
		expect(contentOf(project)).toEqual(before);
		expect(treesLeft(home)).toEqual([]);
		const ran = home.model.requests.filter(({ isChild }) => isChild).at(-1)?.lastToolText;
		expect(ran).toContain("the test passes\nof the user\n");

		expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
		expect(textsIn(project)).toMatchObject({
			"double.js": "exports.double = (n) => 2 * n;\n",
			"README.md": "# Double, by both\n",
			"docs/double.md": "It doubles.\n",
			"notes.txt": "of the user\n",
		});
		expect(await piGeon(home, ["apply", "last", "--undo", "--yes"])).toMatchObject({ code: 0 });
		expect(contentOf(project)).toEqual(before);
	});
});
