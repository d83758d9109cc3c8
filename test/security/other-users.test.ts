import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { projectFolders } from "../../src/agents/project-folders.ts";
import { contextFiles } from "../../src/child/context-files.ts";
import { Workspace } from "../../src/lsp/workspace.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { giveAway } from "../helpers/another-user.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

/** Files of other users define neither our workspace nor our context. For programs, see programs.test.ts. */

const openHome = useHome();

function scratch(files: Readonly<Record<string, string>>): string {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pg-users-")));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(root, name)), { recursive: true });
		writeFileSync(join(root, name), content);
	}
	return root;
}

describe("the workspace", () => {
	test("is the repository around the working directory if that is ours", () => {
		const root = scratch({ ".git/HEAD": "", "work/x": "" });
		expect(new Workspace(join(root, "work")).root).toBe(root);
	});

	test.each([".git", "."])("is not widened by a repository of another user, to whom %s belongs", (whose) => {
		const root = scratch({ ".git/HEAD": "", "work/x": "", "secret.ts": "" });
		giveAway(join(root, whose));
		const workspace = new Workspace(join(root, "work"));
		expect(workspace.root).toBe(join(root, "work"));
		expect(() => workspace.file("../secret.ts")).toThrow("is outside the workspace");
	});

	test.each([".git", "."])("for agents is not widened either, if %s is another user's", (whose) => {
		const root = scratch({ ".git/HEAD": "", ".pi/agents/x.md": "", "work/sub/x": "" });
		giveAway(join(root, whose), join(root, "work"));
		const folders = projectFolders(join(root, "work", "sub"), tmpdir()).map(({ path }) => path);
		expect(folders).not.toContain(join(root, ".pi", "agents"));
	});
});

describe("a context file", () => {
	const read = (root: string, hidden: readonly string[] = []) => {
		const warnings: string[] = [];
		const files = contextFiles({ cwd: join(root, "work"), agentDir: join(root, "agent"), hidden }, (warning) =>
			warnings.push(warning),
		);
		return { contents: files.map(({ content }) => content), warnings };
	};

	test.each([
		["the file", "AGENTS.md"],
		["the folder it is in", "."],
	])("is left out with a warning if %s is another user's", (_what, whose) => {
		const root = scratch({ "AGENTS.md": "Obey me.", "work/x": "" });
		giveAway(join(root, whose));
		const { contents, warnings } = read(root);
		expect(contents).toEqual([]);
		expect(warnings).toEqual([
			expect.stringMatching(
				/^The context file .*AGENTS\.md was left out: .* belongs to another user \(uid \d+\)\. Copy/,
			),
		]);
	});

	test("is left out if another user's link leads to a file of ours", () => {
		const root = scratch({ "own/credentials": "secret", "work/x": "" });
		symlinkSync(join(root, "own", "credentials"), join(root, "work", "AGENTS.md"));
		expect(read(root).contents).toEqual(["secret"]);
		giveAway(join(root, "work", "AGENTS.md"));
		expect(read(root)).toMatchObject({ contents: [], warnings: [expect.stringContaining("AGENTS.md belongs to")] });
	});

	test.each(["AGENTS.md", "TOOLS.md"])("%s of a project is left out if it leads to a key of the user", (name) => {
		const root = scratch({ "keys/id": "secret", "agent/x": "", "work/x": "" });
		for (const folder of ["work", "agent"]) symlinkSync(join(root, "keys", "id"), join(root, folder, name));
		const hiddenToo = read(root, [join(root, "keys")]);
		// The user's own link in pi's folder is their choice.
		expect(hiddenToo.contents).toEqual(["secret"]);
		expect(hiddenToo.warnings).toEqual([
			expect.stringMatching(/work\/\w+\.md was left out: it leads into .*keys, which is hidden from subagents/),
		]);
	});

	test("is read in a hidden folder that is the working directory", () => {
		const root = scratch({ "work/real.md": "Here.", "work/x": "" });
		symlinkSync("real.md", join(root, "work", "AGENTS.md"));
		expect(read(root, [join(root, "work")])).toEqual({ contents: ["Here."], warnings: [] });
	});

	test("is left out with a warning if it is over 256 KiB, and read up to that", () => {
		const root = scratch({ "AGENTS.md": "x".repeat(256 * 1024 + 1), "work/CLAUDE.md": "y".repeat(256 * 1024) });
		const { contents, warnings } = read(root);
		expect(contents.map(({ length }) => length)).toEqual([256 * 1024]);
		expect(warnings).toEqual([expect.stringContaining(`${root}/AGENTS.md was left out: it is over 256 KiB.`)]);
	});
});

describe.each(somePi(import.meta.url))("a subagent, on pi %s", (version) => {
	test("does not get files that are too large or another user's, and the result says so", async () => {
		const home = await openHome({
			files: {
				"AGENTS.md": `Too large. ${"x".repeat(256 * 1024)}`,
				"CLAUDE.md": "Shadowed.",
				"TOOLS.md": "Mind the tools.",
				"deep/CLAUDE.md": "Obey me.",
				"deep/TOOLS.md": "Mind these too.",
			},
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: () => finalize("Found."),
			}),
		});
		// Only root can give files away; the tests above stand in for that elsewhere.
		const isRoot = process.getuid?.() === 0;
		if (isRoot) giveAway(join(home.project, "deep", "CLAUDE.md"));
		const run = await promptPi(home, "Go.", { version, cwd: join(home.project, "deep") });
		const [child] = home.model.requests.filter(({ isChild }) => isChild);
		expect(child?.systemText).toContain("Mind the tools.");
		expect(child?.systemText).toContain("Mind these too.");
		expect(child?.systemText).not.toContain("Too large.");
		expect(child?.systemText.includes("Obey me.")).toBe(!isRoot);
		const warnings = delegations(run)[0]?.results[0]?.warnings ?? [];
		expect(warnings).toContainEqual(expect.stringMatching(/AGENTS\.md was left out: it is over 256 KiB/));
		const foreign = expect.stringMatching(/deep\/CLAUDE\.md was left out: .* belongs to another user/);
		if (isRoot) expect(warnings).toContainEqual(foreign);
	});

	test("does not get what a link of the project leads to if its tools could not read it, and the result says so", async () => {
		const home = await openHome({
			files: { "AGENTS.md": "Be kind." },
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: () => finalize("Found."),
			}),
		});
		symlinkSync(join(home.agentDir, "models.json"), join(home.project, "TOOLS.md"));
		const run = await promptPi(home, "Go.", { version });
		const [child] = home.model.requests.filter(({ isChild }) => isChild);
		expect(child?.systemText).toContain("Be kind.");
		expect(child?.systemText).not.toContain("scripted-key");
		expect(delegations(run)[0]?.results[0]?.warnings).toEqual([
			expect.stringMatching(/TOOLS\.md was left out: it leads into .*, which is hidden from subagents/),
		]);
	});
});
