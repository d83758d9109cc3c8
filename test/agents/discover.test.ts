import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentCatalog, type AgentPlaces, discoverAgents } from "../../src/agents/discover.ts";
import { type Scratch, useScratch } from "./scratch.ts";

const scratch = useScratch();

/** A home with a repository in it, a user's folder and a package. */
function world() {
	const files = scratch();
	for (const folder of ["home/repo/.git", "home/.pi/agent/agents", "package/agents"]) {
		mkdirSync(files.path(folder), { recursive: true });
	}
	return {
		...files,
		discover: (changes: Partial<AgentPlaces> = {}) => discoverAgents({ ...places(files), ...changes }),
	};
}

const places = (files: Scratch): AgentPlaces => ({
	cwd: files.path("home/repo"),
	builtinDir: files.path("package/agents"),
	userDir: files.path("home/.pi/agent/agents"),
	homeDir: files.path("home"),
	includeProject: true,
});

const agent = (name: string, description = "") => `---\nname: ${name}\ndescription: ${description}\n---\nbody\n`;
const names = (catalog: AgentCatalog) => catalog.agents.map(({ name }) => name);
const winner = (catalog: AgentCatalog, name: string) => catalog.agents.find((found) => found.name === name);

describe("precedence", () => {
	test("project over user over built-in; the others are listed as overridden", () => {
		const { write, discover } = world();
		write("package/agents/x.md", agent("x", "builtin"));
		write("home/.pi/agent/agents/x.md", agent("x", "user"));
		write("home/repo/.pi/agents/x.md", agent("x", "project"));
		const catalog = discover();
		expect(catalog.agents).toMatchObject([{ description: "project", source: "project" }]);
		expect(catalog.overridden.map(({ source }) => source)).toEqual(["user", "builtin"]);
		expect(catalog.diagnostics).toEqual([]);
		expect(discover({ includeProject: false }).agents).toMatchObject([{ source: "user" }]);
	});

	test(".pi/agents over .agents over .claude/agents", () => {
		const { write, discover } = world();
		write("home/repo/.claude/agents/x.md", agent("x", "claude"));
		write("home/repo/.claude/agents/y.md", agent("y", "claude"));
		expect(winner(discover(), "x")?.description).toBe("claude");
		write("home/repo/.agents/x.md", agent("x", "shared"));
		expect(winner(discover(), "x")?.description).toBe("shared");
		write("home/repo/.pi/agents/x.md", agent("x", "pi"));
		expect(winner(discover(), "x")?.description).toBe("pi");
		expect(winner(discover(), "y")?.description).toBe("claude");
	});

	test("in a monorepo the nearest directory wins, whatever the kind of folder", () => {
		const { write, path, discover } = world();
		write("home/repo/.pi/agents/x.md", agent("x", "root"));
		write("home/repo/.pi/agents/r.md", agent("r", "root"));
		write("home/repo/packages/one/.claude/agents/x.md", agent("x", "package"));
		mkdirSync(path("home/repo/packages/one/src"), { recursive: true });
		const catalog = discover({ cwd: path("home/repo/packages/one/src") });
		expect(winner(catalog, "x")?.description).toBe("package");
		expect(winner(catalog, "r")?.description).toBe("root");
		expect(catalog.overridden).toMatchObject([{ name: "x", description: "root" }]);
	});

	test("a broken file leaves the one it would override in force", () => {
		const { write, discover } = world();
		write("package/agents/x.md", agent("x", "builtin"));
		const broken = write("home/repo/.pi/agents/x.md", "---\nname: x\nreadonly: maybe\n---\n");
		const catalog = discover();
		expect(winner(catalog, "x")?.source).toBe("builtin");
		expect(catalog.diagnostics).toMatchObject([{ severity: "error", file: broken, line: 3 }]);
	});

	test("a broken file is known by the name in it, or else by its own", () => {
		const { write, discover } = world();
		write("home/.pi/agent/agents/broken.md", "---\nname: [oops\n---\n");
		write("home/.pi/agent/agents/other.md", "---\nname: named\nreadonly: banana\n---\n");
		expect(discover().unusable).toMatchObject([
			{ name: "broken", source: "user", problem: { line: 2 } },
			{ name: "named", source: "user", problem: { line: 3, key: "readonly" } },
		]);
	});

	test("of two files of one folder the first by file name wins", () => {
		const { write, discover } = world();
		const second = write("home/.pi/agent/agents/b.md", agent("x", "b"));
		write("home/.pi/agent/agents/a.md", agent("x", "a"));
		const catalog = discover();
		expect(catalog.agents).toMatchObject([{ description: "a" }]);
		expect(catalog.overridden).toEqual([]);
		expect(catalog.diagnostics).toMatchObject([{ severity: "warning", file: second }]);
	});

	test("the list begins with the built-in names in their order, then goes by name", () => {
		const { write, discover } = world();
		for (const name of ["tester", "reviewer", "researcher", "implementer"]) {
			write(`package/agents/${name}.md`, agent(name));
		}
		write("home/repo/.pi/agents/explorer.md", agent("explorer"));
		for (const name of ["beta", "Zeta", "alpha"]) write(`home/.pi/agent/agents/${name}.md`, agent(name));
		expect(names(discover())).toEqual([
			...["explorer", "researcher", "reviewer", "implementer", "tester"],
			...["Zeta", "alpha", "beta"],
		]);
	});
});

describe("how far the search goes", () => {
	test("not beyond the repository", () => {
		const { write, path, discover } = world();
		write("home/work/.pi/agents/outside.md", agent("outside"));
		mkdirSync(path("home/work/repo/sub"), { recursive: true });
		write("home/work/repo/.git", "gitdir: elsewhere\n");
		write("home/work/repo/.pi/agents/inside.md", agent("inside"));
		expect(names(discover({ cwd: path("home/work/repo/sub") }))).toEqual(["inside"]);
		expect(names(discover({ cwd: path("home/work") }))).toEqual(["outside"]);
	});

	test("not into the home directory, by whatever name it is reached", () => {
		const { write, path, discover } = world();
		write("home/.pi/agents/mine.md", agent("mine"));
		write("home/.agents/mine.md", agent("mine"));
		mkdirSync(path("home/notes"));
		symlinkSync(path("home"), path("house"));
		expect(names(discover({ cwd: path("home/notes") }))).toEqual([]);
		expect(names(discover({ cwd: path("home") }))).toEqual([]);
		expect(names(discover({ cwd: path("house/notes") }))).toEqual([]);
		expect(names(discover({ cwd: path("home/notes"), homeDir: path("house") }))).toEqual([]);
	});

	test("not above home", () => {
		const { write, path, discover } = world();
		write(".pi/agents/above.md", agent("above"));
		mkdirSync(path("home/notes"));
		expect(names(discover({ cwd: path("home/notes") }))).toEqual([]);
	});

	test("outside home it ends before the root of the file system", () => {
		const { write, path, discover } = world();
		write("srv/.pi/agents/x.md", agent("x"));
		mkdirSync(path("srv/app"));
		expect(names(discover({ cwd: path("srv/app") }))).toEqual(["x"]);
		expect(discover({ cwd: "/" }).agents).toEqual([]);
	});

	test("a repository's own agents/ folder changes nothing", () => {
		const { write, discover } = world();
		write("package/agents/explorer.md", agent("explorer", "builtin"));
		write("home/repo/agents/explorer.md", agent("explorer", "impostor"));
		const catalog = discover();
		expect(catalog.agents).toMatchObject([{ description: "builtin" }]);
		expect(catalog.overridden).toEqual([]);
	});

	test("one folder under two names counts once", () => {
		const { write, path, discover } = world();
		write("home/repo/.pi/agents/x.md", agent("x"));
		mkdirSync(path("home/repo/.claude"));
		symlinkSync(path("home/repo/.pi/agents"), path("home/repo/.claude/agents"));
		const catalog = discover();
		expect(names(catalog)).toEqual(["x"]);
		expect(catalog.overridden).toEqual([]);
	});
});

describe("what a folder may hold", () => {
	const folder = "home/repo/.pi/agents";

	test("missing folders, and files in their place, are nothing", () => {
		const { write, discover } = world();
		write("home/repo/.agents", "a file");
		write("home/repo/.pi", "a file");
		expect(discover({ userDir: "/nowhere" })).toEqual({ agents: [], overridden: [], unusable: [], diagnostics: [] });
	});

	test("only .md files in it and in its subfolders, links to files included", () => {
		const { write, path, discover } = world();
		write(`${folder}/sub/deeper/deep.md`, agent("deep"));
		write(`${folder}/.git/hidden.md`, agent("hidden"));
		write(`${folder}/node_modules/x/package.md`, agent("package"));
		write(`${folder}/review/SKILL.md`, agent("skill"));
		write(`${folder}/notes.txt`, agent("notes"));
		write(`${folder}/old.md.bak`, agent("old"));
		symlinkSync(write("elsewhere.md", agent("linked")), path(folder, "linked.md"));
		const catalog = discover();
		expect(names(catalog)).toEqual(["deep", "linked"]);
		expect(catalog.diagnostics).toEqual([]);
	});

	test("a folder's own file counts more than one of its subfolders", () => {
		const { write, discover } = world();
		write(`${folder}/a/x.md`, agent("x", "inner"));
		write(`${folder}/z.md`, agent("x", "outer"));
		expect(winner(discover(), "x")?.description).toBe("outer");
	});

	test("~/.claude/agents counts less than the user's own folder, and more than a built-in", () => {
		const { write, discover } = world();
		write("package/agents/explorer.md", agent("explorer", "builtin"));
		write("home/.claude/agents/team/explorer.md", agent("explorer", "claude"));
		write("home/.claude/agents/x.md", agent("x", "claude"));
		write("home/.pi/agent/agents/x.md", agent("x", "pi"));
		const catalog = discover({ includeProject: false });
		expect(winner(catalog, "explorer")).toMatchObject({ description: "claude", source: "user" });
		expect(winner(catalog, "x")).toMatchObject({ description: "pi", source: "user" });
		expect(catalog.diagnostics).toEqual([]);
	});

	test.skipIf(process.platform === "win32")(
		"a dangling link, a link to a folder, a pipe, a large and a broken file are each said and hide nothing",
		() => {
			const { write, path, discover } = world();
			write(`${folder}/z-good.md`, agent("good"));
			write(`${folder}/e-broken.md`, "---\nname: [\n---\n");
			write(`${folder}/d-large.md`, agent("large") + "x".repeat(256 * 1024));
			symlinkSync(path("home"), path(folder, "b-directory.md"));
			execFileSync("mkfifo", [path(folder, "c-pipe.md")]);
			symlinkSync(path("nowhere.md"), path(folder, "a-dangling.md"));
			const catalog = discover();
			expect(names(catalog)).toEqual(["good"]);
			expect(catalog.diagnostics.map(({ file, severity, message }) => [file, severity, message])).toEqual([
				[path(folder, "a-dangling.md"), "error", expect.stringContaining("ENOENT")],
				[path(folder, "b-directory.md"), "error", expect.stringContaining("not a file")],
				[path(folder, "c-pipe.md"), "error", expect.stringContaining("not a file")],
				[path(folder, "d-large.md"), "error", expect.stringContaining("256 KiB")],
				[path(folder, "e-broken.md"), "error", expect.stringContaining("YAML")],
			]);
		},
	);

	test("two names that would be the same here: the first file has it, and the other says so", () => {
		const { write, path, discover } = world();
		write(`${folder}/a.md`, agent("Night Watch"));
		write(`${folder}/b.md`, agent("night-watch"));
		const catalog = discover();
		expect(names(catalog)).toEqual(["night-watch"]);
		expect(catalog.diagnostics).toMatchObject([
			{ file: path(folder, "a.md"), message: expect.stringContaining("is called night-watch here") },
			{ file: path(folder, "b.md"), message: expect.stringContaining("already defines the agent night-watch") },
		]);
	});

	test("an agent whose name has a space is found by its name here, also where files are read on demand", () => {
		const { write, discover } = world();
		write("home/repo/.claude/agents/w.md", agent('"Night  Watch (C#)"'));
		expect(names(discover())).toEqual(["night-watch-csharp"]);
		expect(discover({ includeProject: "when asked" }).lookUp?.("night-watch-csharp").agents).toHaveLength(1);
	});

	test.skipIf(process.getuid?.() === 0)("an unreadable file and folder are reported", () => {
		const { write, path, discover } = world();
		chmodSync(write(`${folder}/secret.md`, agent("secret")), 0);
		write("home/repo/.claude/agents/x.md", agent("x"));
		chmodSync(path("home/repo/.claude/agents"), 0);
		const { diagnostics } = discover();
		chmodSync(path("home/repo/.claude/agents"), 0o700);
		expect(diagnostics).toMatchObject([
			{ file: path(folder, "secret.md"), message: expect.stringContaining("EACCES") },
			{ file: path("home/repo/.claude/agents"), message: expect.stringContaining("EACCES") },
		]);
	});

	test("a file without frontmatter is not a mistake; in .agents only the folder itself and agents/ are searched", () => {
		const { write, discover } = world();
		write("home/repo/.agents/README.md", "# About\n");
		write("home/repo/.agents/skills/review/SKILL.md", agent("skill"));
		write("home/repo/.agents/skills/review/notes.md", agent("notes"));
		write("home/repo/.agents/agents/team/inner.md", agent("inner"));
		write("home/repo/.agents/nameless.md", "---\ndescription: d\n---\n");
		write("home/repo/.claude/agents/README.md", "# About\n");
		const catalog = discover();
		expect(names(catalog)).toEqual(["inner"]);
		expect(catalog.diagnostics.map(({ message }) => message)).toEqual(["The agent has no name."]);
	});
});

describe("the built-in agents", () => {
	const builtinDir = join(import.meta.dirname, "..", "..", "agents");
	const catalog = () => discoverAgents({ ...places(scratch()), builtinDir, includeProject: false });
	const inTheCode = ["read", "grep", "find", "ls", "lsp"];
	const onTheWeb = ["web_search", "fetch_content", "get_search_content", "convert_content"];

	test("are the six of the contract, five of them readonly, with its tools", () => {
		const { agents, diagnostics } = catalog();
		expect(diagnostics).toEqual([]);
		expect(agents.map(({ name, readonly, tools, source }) => [name, readonly, tools, source])).toEqual([
			["explorer", true, { kind: "only", names: inTheCode }, "builtin"],
			["researcher", true, { kind: "only", names: onTheWeb }, "builtin"],
			["reviewer", true, { kind: "only", names: inTheCode }, "builtin"],
			["implementer", true, { kind: "only", names: inTheCode }, "builtin"],
			["tester", true, { kind: "only", names: inTheCode }, "builtin"],
			["worker", false, { kind: "only", names: [...inTheCode, "bash", "edit", "write"] }, "builtin"],
		]);
		expect(agents.find(({ name }) => name === "worker")?.isolation).toBe("worktree");
	});

	test("each say what they may not do, what is uncertain and how to answer", () => {
		for (const { description, prompt, readonly } of catalog().agents) {
			expect(description).not.toBe("");
			expect(prompt).toMatch(/only (?:the delegated|what the task names)/i);
			if (readonly) expect(prompt).toMatch(/do not edit|change nothing/i);
			expect(prompt).toMatch(/do not delegate further/i);
			expect(prompt).toContain("**Uncertain**");
			expect(prompt).toContain("How to answer");
			expect(prompt).not.toContain("finalize");
		}
	});
});

test.runIf(process.getuid?.() === 0)(
	"outside of a repository, a folder of another user does not belong to the project",
	() => {
		const { write, path, discover } = world();
		const cwd = path("shared", "ours", "work");
		write("shared/.agents/theirs.md", agent("theirs"));
		write("shared/ours/.agents/ours.md", agent("ours"));
		mkdirSync(cwd, { recursive: true });
		expect(names(discover({ cwd }))).toEqual(["ours", "theirs"]);
		chownSync(path("shared"), 65534, 65534);
		expect(names(discover({ cwd }))).toEqual(["ours"]);
		// Whoever works in it, as in a container with files of another user, has decided to.
		chownSync(cwd, 65534, 65534);
		expect(names(discover({ cwd }))).toEqual(["ours"]);
		// As git does, which calls the owner of such a repository dubious.
		mkdirSync(path("shared", ".git"));
		expect(names(discover({ cwd }))).toEqual(["ours"]);
		chownSync(path("shared"), 0, 0);
		expect(names(discover({ cwd }))).toEqual(["ours", "theirs"]);
	},
);
