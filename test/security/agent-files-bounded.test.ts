import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentPlaces, catalogFor, discoverAgents } from "../../src/agents/discover.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import { useScratch } from "../agents/scratch.ts";

const scratch = useScratch();
const FOLDER = "home/repo/.pi/agents";

function world() {
	const files = scratch();
	for (const folder of ["home/repo/.git", FOLDER, "home/.pi/agent/agents"]) {
		mkdirSync(files.path(folder), { recursive: true });
	}
	const places: AgentPlaces = {
		cwd: files.path("home/repo"),
		builtinDir: join(import.meta.dirname, "..", "..", "agents"),
		userDir: files.path("home/.pi/agent/agents"),
		homeDir: files.path("home"),
		includeProject: "when asked",
	};
	return { ...files, discover: (changes: Partial<AgentPlaces> = {}) => discoverAgents({ ...places, ...changes }) };
}

const agent = (name: string, more = "") => `---\nname: ${name}\ndescription: d\n${more}---\nbody\n`;

/** Texts on which the YAML parser needs seconds or exhausts the stack, each of at most 32 KiB. */
const HOSTILE: [string, string][] = [
	["explicit keys in one another", `a: b\n${"? ".repeat(1_000)}x\n`],
	["explicit keys in flow collections", `a: ${"{? ".repeat(2_000)}x\n`],
	["open flow lists", `tools: ${"[".repeat(20_000)}\n`],
	["closed flow lists", `tools: ${"[".repeat(10_000)}${"]".repeat(10_000)}\n`],
	["flow lists that strings seem to close", `tools: ${'["]", '.repeat(5_000)}\n`],
	["flow mappings", `a: ${"{a: ".repeat(7_000)}\n`],
	["lists in one another", `a:\n  ${"- ".repeat(10_000)}x\n`],
	["mappings in one another", Array.from({ length: 240 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
	["mappings on one line", `a: ${"b: ".repeat(9_000)}\n`],
	["thousands of keys", Array.from({ length: 4_000 }, (_, i) => `k${i}: 1\n`).join("")],
	["thousands of commas", `a: [${",".repeat(30_000)}]\n`],
	["thousands of closing brackets", `a: ${"]".repeat(30_000)}\n`],
	["thousands of colons", ":\n".repeat(15_000)],
	["anchors", `a: ${"&a ".repeat(10_000)}\n`],
	[
		"aliases that multiply",
		`${Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}` : "x"}]\n`).join("")}`,
	],
];

describe("a text on which the YAML parser would spend seconds is refused before the parser sees it", () => {
	test.each(HOSTILE)("%s", (_, text) => {
		const spent = process.threadCpuUsage();
		const { agent: parsed, diagnostics } = parseAgent(agent("slow", text), { file: "slow.md", source: "project" });
		// The bound is the requirement, in processor time of its own. Unbounded, the worst of these need seconds; bounded, all need some milliseconds.
		expect(process.threadCpuUsage(spent).user).toBeLessThan(1_000_000);
		expect(parsed).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", line: expect.any(Number) }]);
	});

	test("explicit keys in one another from the first line on", () => {
		const spent = process.threadCpuUsage();
		const text = `---\n${"? ".repeat(500)}x\n---\nbody\n`;
		const { agent: parsed, diagnostics } = parseAgent(text, { file: "slow.md", source: "project" });
		expect(process.threadCpuUsage(spent).user).toBeLessThan(1_000_000);
		expect(parsed).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", message: expect.stringContaining("explicit key") }]);
	});

	test("what people write stays far below the bounds", () => {
		const schema = Array.from({ length: 8 }).reduce<object>(
			(inner) => ({ type: "object", properties: { inner }, required: ["inner"] }),
			{ type: "string" },
		);
		const text = agent("fine", `outputSchema: ${JSON.stringify(schema)}\n`);
		expect(parseAgent(text, { file: "fine.md", source: "user" }).diagnostics).toEqual([]);
	});
});

describe("in a project that is not trusted, only files that may define the requested agent are read", () => {
	test("200 files of hostile YAML delay nothing, and other files are not even parsed", () => {
		const { write, discover } = world();
		for (let i = 0; i < 200; i++)
			write(`${FOLDER}/slow-${i}.md`, `---\nname: slow\nexplorer: [${",".repeat(30_000)}]\n---\n`);
		write(`${FOLDER}/wanted.md`, agent("wanted"));
		const spent = process.threadCpuUsage();
		const catalog = discover();
		expect(catalog.agents.every(({ source }) => source === "builtin")).toBe(true);
		const found = catalogFor(catalog, "explorer");
		expect(found.agents.find(({ name }) => name === "explorer")?.source).toBe("builtin");
		expect(found.diagnostics).toEqual([]);
		expect(catalogFor(catalog, "wanted").agents.find(({ name }) => name === "wanted")?.source).toBe("project");
		expect(process.threadCpuUsage(spent).user).toBeLessThan(10_000_000);
	});

	test("a file that mentions the name defines no other agent, and one with an error is reported with its name only", () => {
		const { write, discover } = world();
		write(`${FOLDER}/a.md`, agent("other", "tools: wanted\n"));
		write(`${FOLDER}/b.md`, agent("wanted", "readonly: maybe\n"));
		const found = catalogFor(discover(), "wanted");
		expect(found.agents.filter(({ source }) => source === "project")).toEqual([]);
		expect(found.unusable).toMatchObject([{ name: "wanted" }]);
	});

	test("the one with precedence is found, and what it takes the place of", () => {
		const { write, discover } = world();
		write("home/repo/.claude/agents/explorer.md", agent("explorer"));
		write(`${FOLDER}/explorer.md`, agent("explorer", "readonly: true\n"));
		const found = catalogFor(discover(), "explorer");
		expect(found.agents.find(({ name }) => name === "explorer")).toMatchObject({ source: "project", readonly: true });
		expect(found.overridden.map(({ source }) => source)).toEqual(["project", "builtin"]);
	});
});

describe("every limit that is reached is reported, and costs no other source its agents", () => {
	test("too many files", () => {
		const { write, path, discover } = world();
		for (let i = 0; i < 1_050; i++) write(`${FOLDER}/a-${i}.md`, agent(`a-${i}`));
		write("home/.pi/agent/agents/mine.md", agent("mine"));
		const catalog = discover({ includeProject: true });
		expect(catalog.agents.filter(({ source }) => source === "project")).not.toHaveLength(1_050);
		expect(catalog.agents.find(({ name }) => name === "mine")).toBeDefined();
		const said = {
			severity: "error",
			file: path(FOLDER),
			message: expect.stringMatching(/more than (1000 files|5 s)/),
		};
		expect(catalog.diagnostics).toMatchObject([said]);
		const asked = catalogFor(discover(), "explorer").agents.find(({ name }) => name === "explorer");
		expect(asked?.warnings ?? []).toEqual([]);
	});

	test("too many bytes, and so do the warnings of a run whose agent may have been missed", () => {
		const { write, discover } = world();
		for (let i = 0; i < 80; i++) write(`${FOLDER}/a-${i}.md`, agent(`a-${i}`) + "x".repeat(250 * 1024));
		expect(discover({ includeProject: true }).diagnostics).toMatchObject([
			{ message: expect.stringContaining("16 MiB") },
		]);
		const asked = catalogFor(world().discover(), "explorer");
		expect(asked.agents.find(({ name }) => name === "explorer")?.warnings).toEqual([]);
	});

	test("a huge folder", () => {
		const { path, write, discover } = world();
		execFileSync("sh", ["-c", "seq 1 6000 | xargs touch"], { cwd: path(FOLDER) });
		write("home/.pi/agent/agents/mine.md", agent("mine"));
		const catalog = discover();
		const asked = catalogFor(catalog, "mine").agents.find(({ name }) => name === "mine");
		expect(asked?.warnings).toEqual([expect.stringContaining("5000 entries")]);
	});

	test("folders in folders", () => {
		const { path, write, discover } = world();
		write(join(FOLDER, ...Array(30).fill("d"), "deep.md"), agent("deep"));
		const catalog = discover({ includeProject: true });
		expect(catalog.agents.find(({ name }) => name === "deep")).toBeUndefined();
		expect(catalog.diagnostics).toMatchObject([
			{
				severity: "error",
				file: path(FOLDER, ...Array(9).fill("d")),
				message: expect.stringContaining("8 folders deep"),
			},
		]);
	});

	test("links that lead back, and links to other folders", () => {
		const { path, write, discover } = world();
		symlinkSync(path(FOLDER), path(FOLDER, "again"));
		symlinkSync(path(FOLDER, "loop.md"), path(FOLDER, "loop.md"));
		write("elsewhere/private.md", agent("private"));
		symlinkSync(path("elsewhere"), path(FOLDER, "outside"));
		write(`${FOLDER}/fine.md`, agent("fine"));
		const catalog = discover({ includeProject: true });
		expect(catalog.agents.filter(({ source }) => source === "project").map(({ name }) => name)).toEqual(["fine"]);
		expect(catalog.diagnostics.map(({ file }) => file).sort()).toEqual([
			path(FOLDER, "again"),
			path(FOLDER, "loop.md"),
			path(FOLDER, "outside"),
		]);
	});

	test.skipIf(process.platform === "win32")("pipes and devices, which would never end", () => {
		const { path, discover } = world();
		execFileSync("mkfifo", [path(FOLDER, "pipe.md")]);
		symlinkSync("/dev/zero", path(FOLDER, "zero.md"));
		symlinkSync("/dev/tty", path(FOLDER, "tty.md"));
		mkdirSync(path(FOLDER, "folder.md"));
		const { diagnostics } = discover({ includeProject: true });
		expect(diagnostics.map(({ severity }) => severity)).toEqual(["error", "error", "error"]);
	});
});
